using System.Buffers.Binary;

namespace Voron.Storage.Typed.Tables;

/// <summary>
/// The entries that rows of a snapshot have in an index, sorted in memory: those behind a position, and of these as many as fit. Rows that
/// are changed after the snapshot are marked; what is here of them may be wrong.
/// </summary>
internal sealed class BuildPass : IDisposable
{
    private const int PrefixBytes = sizeof(ulong);
    private const int PairBytes = 24;
    private const int RowsBetweenLooks = 1_024;
    private const int FirstPairs = 1_024;

    private readonly Lock _gate = new();
    private readonly KeyMarks _marks = new();
    private readonly int _mostBytes;
    private byte[] _bytes = new byte[1 << 16];
    private Pair[] _pairs = new Pair[FirstPairs];
    private int _used;
    private int _count;
    private int _next;
    private bool _isVoid;

    /// <summary>Entries that were read: those before the position, those that are here, and those that did not fit.</summary>
    private long _seen;
    private long _before;

    internal BuildPass(string table, byte[]? start, int mostBytes)
    {
        Table = table;
        Start = start;
        _mostBytes = mostBytes;
        BuildMarks.Add(this);
    }

    /// <summary>The name of the table.</summary>
    internal string Table { get; }

    /// <summary>The position that it begins behind.</summary>
    internal byte[]? Start { get; }

    /// <summary>Whether entries did not fit.</summary>
    internal bool IsCut { get; private set; }

    internal bool HasNext => Left > 0;

    /// <summary>The number of entries from the next one on.</summary>
    internal int Left => _count - _next;

    /// <summary>The position of the entry before the next one.</summary>
    internal byte[]? Position => _next == 0 ? Start : BuildPosition.Of(KeyOf(_pairs[_next - 1]), PrimaryOf(_pairs[_next - 1]));

    /// <summary>The part of all entries that is before the next one.</summary>
    internal double Fraction => _seen == 0 ? 1 : (double)(_before + _next) / _seen;

    /// <summary>Reads the keys of rows and sorts them.</summary>
    internal void Read(ReadTree rows, RowReader reader, int ordinal, CancellationToken cancellationToken)
    {
        KeyList keys = new();
        int left = RowsBetweenLooks;
        foreach (TreeEntry entry in rows)
        {
            if (--left == 0)
            {
                cancellationToken.ThrowIfCancellationRequested();
                left = RowsBetweenLooks;
            }

            keys.Clear();
            reader.Read(entry.Value);
            reader.AddKeys(ordinal, keys);
            for (int at = 0; at < keys.Count; at++)
            {
                Add(keys.KeyAt(at), entry.Key);
            }
        }

        Sort();
    }

    /// <summary>Goes to the first entry behind a position; false if it does not know them all.</summary>
    internal bool TryMoveBehind(byte[]? position)
    {
        lock (_gate)
        {
            if (_isVoid || BuildPosition.IsBefore(position, Start))
            {
                return false;
            }
        }

        int low = 0;
        int high = _count;
        while (low < high)
        {
            int middle = (int)((uint)(low + high) / 2);
            bool isBehind = BuildPosition.IsBehind(KeyOf(_pairs[middle]), PrimaryOf(_pairs[middle]), position);
            (low, high) = isBehind ? (low, middle) : (middle + 1, high);
        }

        _next = low;
        return true;
    }

    /// <summary>Returns the key of the next entry, or of one behind it.</summary>
    internal ReadOnlySpan<byte> KeyAt(int ahead) => KeyOf(_pairs[_next + ahead]);

    /// <summary>Returns the primary key of the same entry.</summary>
    internal ReadOnlySpan<byte> PrimaryKeyAt(int ahead) => PrimaryOf(_pairs[_next + ahead]);

    internal void Move(int entries) => _next += entries;

    /// <summary>Returns whether the row of that entry may be another one now.</summary>
    internal bool IsMarkedAt(int ahead) => _marks.Contains(PrimaryKeyAt(ahead));

    /// <summary>A row is about to be changed.</summary>
    internal void Mark(ReadOnlySpan<byte> primaryKey) => _marks.Add(primaryKey);

    /// <summary>All rows are about to vanish.</summary>
    internal void MarkAll()
    {
        lock (_gate)
        {
            _isVoid = true;
        }
    }

    public void Dispose() => BuildMarks.Remove(this);

    private void Add(ReadOnlySpan<byte> key, ReadOnlySpan<byte> primaryKey)
    {
        _seen++;
        if (!BuildPosition.IsBehind(key, primaryKey, Start))
        {
            _before++;
            return;
        }

        int length = key.Length + primaryKey.Length;
        if (_count > 1 && (long)_used + length + ((long)_count * PairBytes) > _mostBytes)
        {
            Cut();
        }

        if (length > _bytes.Length - _used)
        {
            Array.Resize(ref _bytes, (int)Math.Max(Math.Min(2L * _bytes.Length, Array.MaxLength), checked(_used + length)));
        }

        if (_count == _pairs.Length)
        {
            Array.Resize(ref _pairs, 2 * _pairs.Length);
        }

        key.CopyTo(_bytes.AsSpan(_used));
        primaryKey.CopyTo(_bytes.AsSpan(_used + key.Length));
        Pair pair = new(PrefixOf(key), _used, key.Length, primaryKey.Length);

        // The first half was kept, and its last entry is the greatest that can be added.
        if (!IsCut || Compare(pair, _last) < 0)
        {
            _pairs[_count++] = pair;
            _used += length;
        }
    }

    /// <summary>The greatest entry that is kept, at the beginning of the bytes; only if others were not.</summary>
    private Pair _last;

    /// <summary>Keeps the smaller half of the entries.</summary>
    private void Cut()
    {
        Sort();
        int kept = _count / 2;
        Pair last = _pairs[kept - 1];
        byte[] bytes = new byte[_bytes.Length];
        int used = 0;
        for (int at = kept - 1; at >= 0; at--)
        {
            Pair pair = _pairs[at];
            _bytes.AsSpan(pair.Offset, pair.KeyBytes + pair.PrimaryBytes).CopyTo(bytes.AsSpan(used));
            _pairs[at] = pair with { Offset = used };
            used += pair.KeyBytes + pair.PrimaryBytes;
        }

        _bytes = bytes;
        _used = used;
        _count = kept;
        _last = last with { Offset = 0 };
        IsCut = true;
    }

    private void Sort() => _pairs.AsSpan(0, _count).Sort(Compare);

    private int Compare(Pair left, Pair right)
    {
        if (left.Prefix != right.Prefix)
        {
            return left.Prefix < right.Prefix ? -1 : 1;
        }

        int order = KeyOf(left).SequenceCompareTo(KeyOf(right));
        return order != 0 ? order : PrimaryOf(left).SequenceCompareTo(PrimaryOf(right));
    }

    private ReadOnlySpan<byte> KeyOf(Pair pair) => _bytes.AsSpan(pair.Offset, pair.KeyBytes);

    private ReadOnlySpan<byte> PrimaryOf(Pair pair) => _bytes.AsSpan(pair.Offset + pair.KeyBytes, pair.PrimaryBytes);

    /// <summary>The first bytes of a key as a number, in the order of keys.</summary>
    private static ulong PrefixOf(ReadOnlySpan<byte> key)
    {
        if (key.Length >= PrefixBytes)
        {
            return BinaryPrimitives.ReadUInt64BigEndian(key);
        }

        Span<byte> padded = stackalloc byte[PrefixBytes];
        padded.Clear();
        key.CopyTo(padded);
        return BinaryPrimitives.ReadUInt64BigEndian(padded);
    }

    private readonly record struct Pair(ulong Prefix, int Offset, int KeyBytes, int PrimaryBytes);
}
