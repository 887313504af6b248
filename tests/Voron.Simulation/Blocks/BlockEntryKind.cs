namespace Voron.Simulation.Blocks;

/// <summary>What the device's log tells; the letters of the log.</summary>
internal enum BlockEntryKind
{
    Write = 'W',
    Flush = 'F',
    Said = 'S',
}
