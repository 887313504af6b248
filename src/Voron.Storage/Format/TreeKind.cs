namespace Voron.Storage.Format;

/// <summary>Kind of a named tree, kept in its catalog record.</summary>
internal enum TreeKind : byte
{
    None = 0,
    Ordered = 1,

    /// <summary>Sorted sets of values by key.</summary>
    Multi = 2,
}
