using System.Buffers;
using System.Buffers.Binary;

namespace Voron.Storage.Extensions.Caching;

/// <summary>
/// The two trees of the cache in a write transaction: entries by key, and, for those that expire, their keys by the time at which they do.
/// Each entry that expires has exactly one row in the second.
/// </summary>
internal readonly ref struct CacheTrees(WriteTransaction transaction, string name)
{
    internal const int ExpiryBytes = sizeof(long);

    private readonly Tree _entries = transaction.OpenTree(name);
    private readonly Tree _expiry = transaction.OpenTree(ExpiryName(name));

    internal static string ExpiryName(string name) => name + ".expiry";

    internal void Set(ReadOnlySpan<byte> key, CacheEntry entry, ReadOnlySequence<byte> value)
    {
        Forget(key);
        Span<byte> room = _entries.Reserve(key, checked((int)(CacheEntry.SizeBytes + value.Length)));
        entry.Write(room);
        value.CopyTo(room[CacheEntry.SizeBytes..]);
        Expect(key, entry);
    }

    internal void Remove(ReadOnlySpan<byte> key)
    {
        Forget(key);
        _entries.Delete(key);
    }

    /// <summary>The entry is used; false when there is nothing to write down.</summary>
    internal bool Use(ReadOnlySpan<byte> key, long now)
    {
        if (!_entries.TryGet(key, out ReadOnlySpan<byte> stored))
        {
            return false;
        }

        CacheEntry entry = CacheEntry.Read(stored);
        if (entry.Expires <= now || !entry.IsMovedBy(now))
        {
            return false;
        }

        Set(key, entry.UsedAt(now), new ReadOnlySequence<byte>(stored[CacheEntry.SizeBytes..].ToArray()));
        return true;
    }

    /// <summary>Deletes expired entries, up to a limit, and returns their number.</summary>
    internal int Sweep(long now, int most)
    {
        Span<byte> end = stackalloc byte[ExpiryBytes];
        BinaryPrimitives.WriteInt64BigEndian(end, now + 1);
        List<byte[]> rows = [];
        foreach (TreeEntry row in _expiry.To(end))
        {
            rows.Add(row.Key.ToArray());
            if (rows.Count == most)
            {
                break;
            }
        }

        foreach (byte[] row in rows)
        {
            _expiry.Delete(row);
            _entries.Delete(row.AsSpan(ExpiryBytes));
        }

        return rows.Count;
    }

    private void Forget(ReadOnlySpan<byte> key)
    {
        if (_entries.TryGet(key, out ReadOnlySpan<byte> stored) && CacheEntry.Read(stored) is { Expires: not CacheEntry.Never } entry)
        {
            _expiry.Delete(RowOf(key, entry));
        }
    }

    private void Expect(ReadOnlySpan<byte> key, CacheEntry entry)
    {
        if (entry.Expires != CacheEntry.Never)
        {
            _expiry.Put(RowOf(key, entry), default);
        }
    }

    private static byte[] RowOf(ReadOnlySpan<byte> key, CacheEntry entry)
    {
        byte[] row = new byte[ExpiryBytes + key.Length];
        BinaryPrimitives.WriteInt64BigEndian(row, entry.Expires);
        key.CopyTo(row.AsSpan(ExpiryBytes));
        return row;
    }
}
