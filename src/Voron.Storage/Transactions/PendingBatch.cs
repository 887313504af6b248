using Voron.Storage.Format;
using Voron.Storage.Trees;

namespace Voron.Storage.Transactions;

/// <summary>
/// Entries that a recovery puts in pending trees: gathered in the order of the journal and applied in that of their keys, so that those
/// of one leaf are applied together. Of all entries of a key in a batch, only the last is applied.
/// </summary>
internal sealed class PendingBatch
{
    private const int LeastEntries = 4;
    private const int PartOfLimit = 10;
    private const int MostBytes = 64 << 20;

    private readonly DeferredPuts _puts;
    private readonly int _longestEntry;
    private readonly int _mostBytes;
    private readonly List<Entry> _entries = [];
    private byte[] _notes;
    private int _noted;

    /// <param name="trees">Where the entries go.</param>
    /// <param name="longestEntry">Length in bytes of the longest key and entry.</param>
    /// <param name="limitBytes">Memory that pending trees may use.</param>
    internal PendingBatch(LayeredTreeWriter trees, int longestEntry, long limitBytes)
    {
        _puts = new DeferredPuts(trees);
        _longestEntry = longestEntry;
        _notes = new byte[LeastEntries * longestEntry];
        _mostBytes = Math.Max(_notes.Length, (int)Math.Min(MostBytes, limitBytes / PartOfLimit));
    }

    /// <summary>Whether it has to be applied before it takes another entry.</summary>
    internal bool IsFull => _mostBytes - _noted < _longestEntry;

    internal void Put(PageNumber pending, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) =>
        Note(pending, key, PendingEntry.Write(value, RoomFor(key)));

    internal void Delete(PageNumber pending, ReadOnlySpan<byte> key) => Note(pending, key, PendingEntry.WriteDeletion(RoomFor(key)));

    /// <summary>Applies what is gathered.</summary>
    internal void Apply()
    {
        _entries.Sort(Compare);
        for (int i = 0; i < _entries.Count; i++)
        {
            if (i + 1 < _entries.Count && IsSameKey(_entries[i], _entries[i + 1]))
            {
                continue;
            }

            (PageNumber pending, _, int offset, int keyBytes, int entryBytes) = _entries[i];
            DeferredPut put = new() { Root = pending, KeyOffset = offset, KeyLength = keyBytes, ValueLength = entryBytes };
            _puts.Add(put, _notes);
            if (_puts.IsFull)
            {
                ApplyPuts();
            }
        }

        ApplyPuts();
        _entries.Clear();
        _noted = 0;
    }

    private void ApplyPuts()
    {
        _puts.FindLeaves(_notes);
        _puts.Make(_notes);
    }

    /// <summary>Writes the key; returns the room for its entry. Most recoveries have few entries, so the memory grows with them.</summary>
    private Span<byte> RoomFor(ReadOnlySpan<byte> key)
    {
        if (_notes.Length - _noted < _longestEntry)
        {
            Array.Resize(ref _notes, Math.Min(_mostBytes, 2 * _notes.Length));
        }

        key.CopyTo(_notes.AsSpan(_noted));
        return _notes.AsSpan(_noted + key.Length);
    }

    private void Note(PageNumber pending, ReadOnlySpan<byte> key, int entryBytes)
    {
        _entries.Add(new Entry(pending, KeyHead.Of(key), _noted, key.Length, entryBytes));
        _noted += key.Length + entryBytes;
    }

    private int Compare(Entry one, Entry other)
    {
        int order = one.Pending.Value.CompareTo(other.Pending.Value);
        order = order != 0 ? order : one.Head.CompareTo(other.Head);
        order = order != 0 ? order : KeyOf(one).SequenceCompareTo(KeyOf(other));
        return order != 0 ? order : one.Offset.CompareTo(other.Offset);
    }

    private bool IsSameKey(in Entry one, in Entry other) =>
        one.Pending == other.Pending && one.Head == other.Head && KeyOf(one).SequenceEqual(KeyOf(other));

    private ReadOnlySpan<byte> KeyOf(in Entry entry) => _notes.AsSpan(entry.Offset, entry.KeyBytes);

    /// <param name="Pending">Root of the pending tree.</param>
    /// <param name="Head">The first bytes of the key.</param>
    /// <param name="Offset">Where the key begins, behind which the entry is.</param>
    /// <param name="KeyBytes">Length of the key.</param>
    /// <param name="EntryBytes">Length of the entry.</param>
    private readonly record struct Entry(PageNumber Pending, ulong Head, int Offset, int KeyBytes, int EntryBytes);
}
