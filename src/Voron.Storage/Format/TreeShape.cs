namespace Voron.Storage.Format;

/// <summary>Kind and parameters of a tree, given when it is created; a tree opened as another shape is refused.</summary>
/// <param name="Kind">The kind.</param>
/// <param name="ValueBytes">
/// Of a multi-value tree: the length of every value, or <see cref="AnyLength"/>; of a fixed-size tree: that length.
/// </param>
/// <param name="KeyKind">Of a fixed-size tree: the type of its keys.</param>
internal readonly record struct TreeShape(TreeKind Kind, ushort ValueBytes = 0, FixedKeyKind KeyKind = FixedKeyKind.None)
{
    /// <summary>The values of a tree may have different lengths.</summary>
    internal const ushort AnyLength = 0xFFFF;

    internal const int MaxValueBytes = 256;

    /// <summary>The longest values of a fixed-size tree.</summary>
    internal const int MaxFixedBytes = 1024;

    /// <summary>Length of the parameters in a redo operation: the bytes of a tree record after the kind, up to the root.</summary>
    internal const int ParameterBytes = 7;

    internal static TreeShape Ordered => new(TreeKind.Ordered);

    internal static TreeShape WriteOptimized => new(TreeKind.WriteOptimized);

    /// <summary>Whether it is an ordered map of byte strings.</summary>
    internal bool IsOrdered => Kind is TreeKind.Ordered or TreeKind.WriteOptimized;

    /// <summary>What a database must have to hold such a tree.</summary>
    internal FormatFeatures Feature => Kind switch
    {
        TreeKind.Multi => FormatFeatures.MultiTrees,
        TreeKind.Fixed => FormatFeatures.FixedTrees,
        TreeKind.WriteOptimized => FormatFeatures.WriteOptimizedTrees,
        _ => FormatFeatures.None,
    };

    /// <summary>Length of the keys of a fixed-size tree in bytes.</summary>
    internal int KeyBytes => KeyKind == FixedKeyKind.Guid ? 2 * sizeof(ulong) : sizeof(ulong);

    /// <summary>Bytes of an entry of a fixed-size tree: its key and its value.</summary>
    internal int EntryBytes => KeyBytes + ValueBytes;

    /// <summary>Whether a tree can have these parameters.</summary>
    internal bool IsPossible => Kind switch
    {
        TreeKind.Ordered or TreeKind.WriteOptimized => ValueBytes == 0 && KeyKind == FixedKeyKind.None,
        TreeKind.Multi => (ValueBytes is <= MaxValueBytes or AnyLength) && KeyKind == FixedKeyKind.None,
        TreeKind.Fixed => ValueBytes <= MaxFixedBytes && KeyKind is > FixedKeyKind.None and <= FixedKeyKind.Guid,
        _ => false,
    };

    /// <inheritdoc/>
    public override string ToString() => Kind switch
    {
        TreeKind.Ordered => "an ordered tree",
        TreeKind.WriteOptimized => "a write-optimized tree",
        TreeKind.Multi when ValueBytes == AnyLength => "a multi-value tree with values of any length",
        TreeKind.Multi => $"a multi-value tree with values of {ValueBytes} bytes",
        TreeKind.Fixed => $"a fixed-size tree with {KeyKind} keys and values of {ValueBytes} bytes",
        _ => $"a tree of kind {(byte)Kind}",
    };
}
