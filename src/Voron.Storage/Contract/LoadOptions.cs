namespace Voron.Storage;

/// <summary>What <see cref="StorageDump"/> reads, and what it does with the entries.</summary>
public sealed class LoadOptions
{
    /// <summary>
    /// The tree that receives the entries. Needed for JSON lines, and for sections without a name, such as that of the main database of
    /// LMDB. The only section of a dump goes to this tree whatever its own name is. Null (the default): each section names its tree.
    /// </summary>
    public string? Tree { get; init; }

    /// <summary>The name of that tree as bytes, for a name that is not text; empty (the default) if <see cref="Tree"/> names it.</summary>
    public ReadOnlyMemory<byte> TreeNameBytes { get; init; }

    /// <summary>Leaves the values of keys that exist as they are, and counts them. Default false: they are replaced.</summary>
    public bool NoOverwrite { get; init; }

    /// <summary>
    /// Requires that each key is greater than all others of its tree, and throws <see cref="DumpFormatException"/> for one that is not.
    /// Default false: keys may come in any order.
    /// </summary>
    public bool Append { get; init; }

    /// <summary>
    /// Commits each time this many entries were read. Default 0: one transaction for the whole input, so that all of it is stored or
    /// nothing.
    /// </summary>
    public long EntriesPerTransaction { get; init; }

    /// <summary>
    /// Reads JSON lines instead of a dump: each line is an object, which becomes the value as it is, and this property of it is the key.
    /// Dots lead to inner objects: <c>_id.$oid</c>. Text becomes UTF-8, a number its digits. Null (the default) reads a dump.
    /// </summary>
    public string? JsonKey { get; init; }
}
