namespace Voron.Storage.Typed.Tables;

/// <summary>The keys that a row has in indexes, as bytes, in the order of indexes and within one of keys. Used again.</summary>
internal sealed class KeyList : IComparer<KeyList.Slot>
{
    private readonly List<Slot> _slots = [];
    private byte[] _bytes = new byte[256];
    private int _used;

    internal int Count => _slots.Count;

    internal int BytesHeld => _bytes.Length;

    internal ReadOnlySpan<byte> KeyAt(int at) => KeyOf(_slots[at]);

    internal int OrdinalAt(int at) => _slots[at].Ordinal;

    internal void Clear()
    {
        _slots.Clear();
        _used = 0;
    }

    internal void Add<T>(int ordinal, IKeyCodec<T> codec, T key) => Take(ordinal, codec.Encode(key, Room(codec.GetMaxBytes(key))));

    /// <summary>Room for the next key.</summary>
    internal Span<byte> Room(int most)
    {
        if (most > _bytes.Length - _used)
        {
            Array.Resize(ref _bytes, Math.Max(2 * _bytes.Length, checked(_used + most)));
        }

        return _bytes.AsSpan(_used, most);
    }

    /// <summary>Adds the key that was written to the room, in the index at this place.</summary>
    internal void Take(int ordinal, int length)
    {
        _slots.Add(new Slot(ordinal, _used, length));
        _used += length;
    }

    /// <summary>Brings the keys of one index, from this place on, into order, each once.</summary>
    internal void SortFrom(int first)
    {
        if (_slots.Count - first < 2)
        {
            return;
        }

        _slots.Sort(first, _slots.Count - first, this);
        int kept = first + 1;
        for (int at = kept; at < _slots.Count; at++)
        {
            if (!KeyAt(at).SequenceEqual(KeyAt(kept - 1)))
            {
                _slots[kept++] = _slots[at];
            }
        }

        _slots.RemoveRange(kept, _slots.Count - kept);
    }

    /// <summary>The order of two keys of the same row: by index, then by bytes.</summary>
    internal static int Compare(KeyList left, int i, KeyList right, int j)
    {
        int order = left.OrdinalAt(i).CompareTo(right.OrdinalAt(j));
        return order != 0 ? order : left.KeyAt(i).SequenceCompareTo(right.KeyAt(j));
    }

    public int Compare(Slot x, Slot y) => KeyOf(x).SequenceCompareTo(KeyOf(y));

    private ReadOnlySpan<byte> KeyOf(Slot slot) => _bytes.AsSpan(slot.Offset, slot.Length);

    internal readonly record struct Slot(int Ordinal, int Offset, int Length);
}
