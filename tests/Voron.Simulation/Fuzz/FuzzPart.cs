namespace Voron.Simulation.Fuzz;

/// <summary>What a range of bytes is, so that damage can aim at it and its checksums can be made true again.</summary>
internal enum FuzzPart
{
    Slot,

    /// <summary>A page or a run of the data file.</summary>
    Page,

    ChunkHeader,
    Record,
    ImageSetHead,
    SetTable,

    /// <summary>A page or a run in a page chunk.</summary>
    SetImage,
}
