namespace Voron.Storage.Structures;

/// <summary>The ends of a range of keys of a multi-value tree.</summary>
[Flags]
internal enum MultiEnds
{
    None = 0,

    /// <summary>Starts at the first key ≥ the low bound.</summary>
    From = 1,

    /// <summary>Starts at the first key above the low bound.</summary>
    After = 2,

    /// <summary>Ends before the first key ≥ the high bound.</summary>
    To = 4,

    /// <summary>Ends with the last key ≤ the high bound.</summary>
    UpTo = 8,

    /// <summary>The keys that begin with the bound.</summary>
    Prefix = 16,
}
