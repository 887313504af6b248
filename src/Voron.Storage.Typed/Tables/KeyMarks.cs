using System.Runtime.InteropServices;

namespace Voron.Storage.Typed.Tables;

/// <summary>
/// A set of keys that only grows, for many threads. Most keys that are asked for are not in it, which a filter of bits answers without the
/// lock.
/// </summary>
internal sealed class KeyMarks
{
    private const int FilterBits = 1 << 20;
    private const int BitsOfWord = 64;

    private readonly Lock _gate = new();
    private readonly HashSet<byte[]> _keys = new(KeyComparer.Instance);

    /// <summary>A bit for each hash of a key; null while there is no key.</summary>
    private ulong[]? _filter;

    internal void Add(ReadOnlySpan<byte> key)
    {
        lock (_gate)
        {
            if (_keys.GetAlternateLookup<ReadOnlySpan<byte>>().Add(key))
            {
                _filter ??= new ulong[FilterBits / BitsOfWord];
                uint bit = BitOf(key);
                _filter[bit / BitsOfWord] |= 1UL << (int)(bit % BitsOfWord);
            }
        }
    }

    /// <summary>Returns whether the key was added, by this thread or by one that this thread knows to be behind its addition.</summary>
    internal bool Contains(ReadOnlySpan<byte> key)
    {
        if (Volatile.Read(ref _filter) is not { } filter)
        {
            return false;
        }

        uint bit = BitOf(key);
        if ((filter[bit / BitsOfWord] & (1UL << (int)(bit % BitsOfWord))) == 0)
        {
            return false;
        }

        lock (_gate)
        {
            return _keys.GetAlternateLookup<ReadOnlySpan<byte>>().Contains(key);
        }
    }

    private static uint BitOf(ReadOnlySpan<byte> key) => (uint)(HashOf(key) >> 32) % FilterBits;

    private static ulong HashOf(ReadOnlySpan<byte> key)
    {
        const ulong Factor = 0x9E3779B97F4A7C15;
        ulong hash = (ulong)key.Length;
        for (; key.Length >= sizeof(ulong); key = key[sizeof(ulong)..])
        {
            hash = Mixed(hash ^ MemoryMarshal.Read<ulong>(key));
        }

        foreach (byte one in key)
        {
            hash = (hash << 8) ^ (hash >> 56) ^ one;
        }

        return Mixed(hash);

        static ulong Mixed(ulong value)
        {
            value = (value ^ (value >> 32)) * Factor;
            value = (value ^ (value >> 29)) * Factor;
            return value ^ (value >> 32);
        }
    }

    private sealed class KeyComparer : IEqualityComparer<byte[]>, IAlternateEqualityComparer<ReadOnlySpan<byte>, byte[]>
    {
        internal static readonly KeyComparer Instance = new();

        public bool Equals(byte[]? x, byte[]? y) => x.AsSpan().SequenceEqual(y);

        public int GetHashCode(byte[] obj) => GetHashCode(obj.AsSpan());

        public bool Equals(ReadOnlySpan<byte> alternate, byte[] other) => alternate.SequenceEqual(other);

        public int GetHashCode(ReadOnlySpan<byte> alternate) => (int)HashOf(alternate);

        public byte[] Create(ReadOnlySpan<byte> alternate) => alternate.ToArray();
    }
}
