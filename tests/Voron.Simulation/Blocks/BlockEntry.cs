namespace Voron.Simulation.Blocks;

/// <summary>One entry of a device's log: where on the device, and which bytes of the log were written there.</summary>
internal readonly record struct BlockEntry(BlockEntryKind Kind, long Offset, Range Bytes);
