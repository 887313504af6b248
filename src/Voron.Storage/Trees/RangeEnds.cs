namespace Voron.Storage.Trees;

/// <summary>The ends of a range of keys.</summary>
[Flags]
internal enum RangeEnds
{
    None = 0,

    /// <summary>Starts at the first key ≥ the low bound.</summary>
    From = 1,

    /// <summary>Ends before the first key ≥ the high bound.</summary>
    To = 2,

    /// <summary>Ends before the first key that does not start with the high bound.</summary>
    Prefix = 4,

    /// <summary>With <see cref="From"/>: a key equal to the low bound is outside.</summary>
    FromOpen = 8,

    /// <summary>With <see cref="To"/>: a key equal to the high bound is inside.</summary>
    ToClosed = 16,
}
