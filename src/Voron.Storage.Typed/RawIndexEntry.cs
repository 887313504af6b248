using Voron.Storage.Typed.Tables;

namespace Voron.Storage.Typed;

/// <summary>An entry of an index of a table of bytes.</summary>
public readonly ref struct RawIndexEntry
{
    private readonly TableReader _table;
    private readonly RawIndex _index;

    internal RawIndexEntry(TableReader table, RawIndex index, ReadOnlySpan<byte> indexKey, ReadOnlySpan<byte> key)
    {
        _table = table;
        _index = index;
        IndexKey = indexKey;
        Key = key;
    }

    /// <summary>The key in the index.</summary>
    public ReadOnlySpan<byte> IndexKey { get; }

    /// <summary>The primary key of the row.</summary>
    public ReadOnlySpan<byte> Key { get; }

    /// <summary>The row, looked up when it is asked for.</summary>
    public ReadOnlySpan<byte> Row => _table.RowAt(Key, _index.Name);
}
