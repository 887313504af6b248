namespace Voron.Storage.Format;

/// <summary>Type of the keys of a fixed-size tree, kept in its catalog record.</summary>
internal enum FixedKeyKind : byte
{
    /// <summary>The tree is of another kind.</summary>
    None = 0,
    Int64 = 1,
    UInt64 = 2,
    Double = 3,
    Guid = 4,
}
