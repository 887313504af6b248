using Voron.Storage.Typed.Tables;

namespace Voron.Storage.Typed;

/// <summary>
/// Declares indexes. The methods are also reached through the name of <see cref="System.Index"/>, which every file has:
/// <c>Index.Unique(…)</c> is <c>TableIndex.Unique(…)</c>.
/// </summary>
public static class TableIndex
{
    extension(Index)
    {
        /// <summary>An index in which no two rows have the same key. Rows for which the selector is false are not in it.</summary>
        public static Index<TRow, TIndexKey> Unique<TRow, TIndexKey>(
            string name, IKeyCodec<TIndexKey> keys, IndexSelector<TRow, TIndexKey> selector) =>
            new(name, IndexKind.Unique, keys, selector);

        /// <summary>An index in which every row is, and no two rows have the same key.</summary>
        public static Index<TRow, TIndexKey> Unique<TRow, TIndexKey>(
            string name, IKeyCodec<TIndexKey> keys, Func<TRow, TIndexKey> selector) =>
            new(name, IndexKind.Unique, keys, Always(selector));

        /// <summary>An index in which rows may share a key. Rows for which the selector is false are not in it.</summary>
        public static Index<TRow, TIndexKey> Of<TRow, TIndexKey>(
            string name, IKeyCodec<TIndexKey> keys, IndexSelector<TRow, TIndexKey> selector) =>
            new(name, IndexKind.Of, keys, selector);

        /// <summary>An index in which every row is, and rows may share a key.</summary>
        public static Index<TRow, TIndexKey> Of<TRow, TIndexKey>(
            string name, IKeyCodec<TIndexKey> keys, Func<TRow, TIndexKey> selector) =>
            new(name, IndexKind.Of, keys, Always(selector));

        /// <summary>An index in which a row has any number of keys; the same key twice counts once, null is no key at all.</summary>
        public static Index<TRow, TIndexKey> Many<TRow, TIndexKey>(
            string name, IKeyCodec<TIndexKey> keys, Func<TRow, IEnumerable<TIndexKey>> selector) =>
            new(name, keys, selector);

        /// <summary>
        /// An index by the time at which a row expires (null: never), for
        /// <see cref="TableMaintenance.SweepExpiredAsync{TKey, TRow}"/>. Reads find a row until it is swept. A table has at most one.
        /// </summary>
        public static Index<TRow, DateTimeOffset> Expiry<TRow>(Func<TRow, DateTimeOffset?> selector, string name = "expiry")
        {
            ArgumentNullException.ThrowIfNull(selector);
            return new(name, IndexKind.Expiry, KeyCodec.DateTimeOffset, (TRow row, out DateTimeOffset key) =>
            {
                DateTimeOffset? time = selector(row);
                key = time.GetValueOrDefault();
                return time.HasValue;
            });
        }
    }

    private static IndexSelector<TRow, TIndexKey> Always<TRow, TIndexKey>(Func<TRow, TIndexKey> selector)
    {
        ArgumentNullException.ThrowIfNull(selector);
        return (TRow row, out TIndexKey key) =>
        {
            key = selector(row);
            return true;
        };
    }
}
