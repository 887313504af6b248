using Voron.Storage.Typed.Tables;

namespace Voron.Storage.Typed;

/// <summary>An index over rows, whatever its keys are; <see cref="TableIndex"/> declares one.</summary>
/// <typeparam name="TRow">The type of rows.</typeparam>
public abstract class RowIndex<TRow> : IIndexShape
{
    private protected RowIndex(string name, IndexKind kind, string codec)
    {
        TableNames.CheckIndex(name);
        Name = name;
        Kind = kind;
        Codec = codec;
    }

    /// <summary>The name of the index within its table. It is stored: <c>table/name</c> is the name of its tree.</summary>
    public string Name { get; }

    /// <summary>True when no two rows may have the same key.</summary>
    public bool IsUnique => Kind == IndexKind.Unique;

    IndexKind IIndexShape.Kind => Kind;

    string IIndexShape.Codec => Codec;

    internal IndexKind Kind { get; }

    /// <summary>The name of the codec of its keys.</summary>
    internal string Codec { get; }

    /// <summary>Adds the keys that a row has in this index, the index at this place of its table.</summary>
    internal abstract void AddKeys(TRow row, int ordinal, KeyList keys);

    /// <summary>A key for a message.</summary>
    internal abstract object Decode(ReadOnlySpan<byte> key);

    object IIndexShape.Decode(ReadOnlySpan<byte> key) => Decode(key);
}
