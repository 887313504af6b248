namespace Voron.Storage.Format;

/// <summary>Kind of a named tree, kept in its catalog record.</summary>
internal enum TreeKind : byte
{
    None = 0,
    Ordered = 1,

    /// <summary>Sorted sets of values by key.</summary>
    Multi = 2,

    /// <summary>Keys and values of fixed lengths, in blocks of columns.</summary>
    Fixed = 3,

    /// <summary>Ordered like 1; puts look no key up, and the record counts the entries of the leaves alone.</summary>
    WriteOptimized = 4,
}
