namespace Voron.Simulation.Blocks;

/// <summary>Which of the writes since the last flush a power cut keeps.</summary>
internal enum BlockCutKind
{
    /// <summary>None of them.</summary>
    Nothing,

    /// <summary>All, up to the cut: a prefix of the log.</summary>
    Everything,

    /// <summary>All but one.</summary>
    WithoutOne,

    /// <summary>One alone.</summary>
    OnlyOne,

    /// <summary>The newer ones without the older ones.</summary>
    NewerFirst,

    /// <summary>Each as a whole or not at all.</summary>
    Writes,

    /// <summary>Each as a whole, not at all, or torn.</summary>
    Torn,

    /// <summary>Each sector or not.</summary>
    Sectors,
}
