using Voron.Storage.Typed.Tables;

namespace Voron.Storage.Typed;

/// <summary>
/// An index over rows, declared by <c>Index.Unique</c>, <c>Index.Of</c>, <c>Index.Many</c> or <c>Index.Expiry</c>. Made once, kept in a
/// static field, and named in the definition of its table.
/// </summary>
/// <typeparam name="TRow">The type of rows.</typeparam>
/// <typeparam name="TIndexKey">The type of the index's keys.</typeparam>
public sealed class Index<TRow, TIndexKey> : RowIndex<TRow>
{
    private readonly IndexSelector<TRow, TIndexKey>? _one;
    private readonly Func<TRow, IEnumerable<TIndexKey>>? _many;

    internal Index(string name, IndexKind kind, IKeyCodec<TIndexKey> keys, IndexSelector<TRow, TIndexKey> one)
        : base(name, kind, Checked(keys).Name)
    {
        ArgumentNullException.ThrowIfNull(one);
        Keys = keys;
        _one = one;
    }

    internal Index(string name, IKeyCodec<TIndexKey> keys, Func<TRow, IEnumerable<TIndexKey>> many)
        : base(name, IndexKind.Many, Checked(keys).Name)
    {
        ArgumentNullException.ThrowIfNull(many);
        Keys = keys;
        _many = many;
    }

    /// <summary>How keys become bytes.</summary>
    public IKeyCodec<TIndexKey> Keys { get; }

    internal override void AddKeys(TRow row, int ordinal, KeyList keys)
    {
        if (_one is not null)
        {
            if (_one(row, out TIndexKey key))
            {
                Add(key, ordinal, keys);
            }

            return;
        }

        int first = keys.Count;
        foreach (TIndexKey key in _many!(row) ?? [])
        {
            Add(key, ordinal, keys);
        }

        keys.SortFrom(first);
    }

    internal override object Decode(ReadOnlySpan<byte> key) => Keys.Decode(key)!;

    private static IKeyCodec<TIndexKey> Checked(IKeyCodec<TIndexKey> keys)
    {
        ArgumentNullException.ThrowIfNull(keys);
        return keys;
    }

    private void Add(TIndexKey key, int ordinal, KeyList keys)
    {
        if (key is null)
        {
            Throw.NullIndexKey(Name);
        }

        keys.Add(ordinal, Keys, key);
    }
}
