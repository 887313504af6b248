using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.Structures;

/// <summary>
/// Keys of fixed-size trees. A key has two forms: the one of its column, which is that of the .NET type, and the ordered one, whose bytes
/// compare as the keys do. Rows, separators, the journal and feeds have the ordered form.
/// </summary>
internal static class FixedKey
{
    /// <summary>Length of the longest keys in either form.</summary>
    internal const int MostBytes = 16;

    private const ulong SignBit = 1UL << 63;

    /// <summary>Columns with at most this number of keys are searched by halving alone.</summary>
    private const int FewKeys = 16;

    /// <summary>Keys of a cache line.</summary>
    private const int FirstStep = 8;

    /// <summary>Returns the kind of keys of a type; None if no tree has such keys.</summary>
    internal static FixedKeyKind KindOf<TKey>()
        where TKey : unmanaged => typeof(TKey) == typeof(long) ? FixedKeyKind.Int64
        : typeof(TKey) == typeof(ulong) ? FixedKeyKind.UInt64
        : typeof(TKey) == typeof(double) ? FixedKeyKind.Double
        : typeof(TKey) == typeof(Guid) ? FixedKeyKind.Guid
        : FixedKeyKind.None;

    /// <summary>Returns the one form of keys that are equal: −0 is 0, and every NaN is <see cref="double.NaN"/>.</summary>
    internal static TKey Normal<TKey>(TKey key)
        where TKey : unmanaged
    {
        if (typeof(TKey) == typeof(double))
        {
            double number = Unsafe.BitCast<TKey, double>(key);
            return Unsafe.BitCast<double, TKey>(number == 0 ? 0 : double.IsNaN(number) ? double.NaN : number);
        }

        return key;
    }

    /// <summary>Writes the ordered form of a key and returns its length. The key must be the normal one.</summary>
    internal static int Write<TKey>(TKey key, Span<byte> ordered)
        where TKey : unmanaged
    {
        if (typeof(TKey) == typeof(Guid))
        {
            Unsafe.BitCast<TKey, Guid>(key).TryWriteBytes(ordered, bigEndian: true, out int written);
            return written;
        }

        BinaryPrimitives.WriteUInt64BigEndian(ordered, Rank(key));
        return sizeof(ulong);
    }

    /// <summary>Reads the ordered form of a key, which has the right length.</summary>
    internal static TKey Read<TKey>(ReadOnlySpan<byte> ordered)
        where TKey : unmanaged
    {
        if (typeof(TKey) == typeof(Guid))
        {
            return Unsafe.BitCast<Guid, TKey>(new Guid(ordered, bigEndian: true));
        }

        ulong bits = BinaryPrimitives.ReadUInt64BigEndian(ordered);
        if (typeof(TKey) == typeof(long))
        {
            bits ^= SignBit;
        }
        else if (typeof(TKey) == typeof(double))
        {
            bits = (bits & SignBit) != 0 ? bits ^ SignBit : ~bits;
        }

        return Unsafe.BitCast<ulong, TKey>(bits);
    }

    /// <summary>Returns the index of the first key ≥ this one. The key must be the normal one.</summary>
    internal static int Find<TKey>(ReadOnlySpan<TKey> keys, TKey key, out bool exact)
        where TKey : unmanaged
    {
        ref TKey first = ref MemoryMarshal.GetReference(keys);
        int low = 0;
        int count = keys.Length;
        if (typeof(TKey) != typeof(Guid) && count > FewKeys)
        {
            Narrow(keys, key, out low, out count);
        }

        while (count > 1)
        {
            int half = count >> 1;
            low += IsBelow(Unsafe.Add(ref first, low + half - 1), key) ? half : 0;
            count -= half;
        }

        low += count == 1 && IsBelow(Unsafe.Add(ref first, low), key) ? 1 : 0;
        exact = low < keys.Length && !IsBelow(key, Unsafe.Add(ref first, low));
        return low;
    }

    /// <summary>
    /// Guesses by the first and the last key where a key is, and looks around there until it is within a range: in a column of even steps
    /// that touches two or three cache lines, where halving touches one in each of its first steps. All keys before the range are below the
    /// key, the first one behind it is not.
    /// </summary>
    private static void Narrow<TKey>(ReadOnlySpan<TKey> keys, TKey key, out int low, out int count)
        where TKey : unmanaged
    {
        ref TKey first = ref MemoryMarshal.GetReference(keys);
        ulong least = Rank(first);
        ulong most = Rank(Unsafe.Add(ref first, keys.Length - 1));
        ulong wanted = Rank(key);
        double part = wanted <= least ? 0 : wanted >= most ? 1 : (double)(wanted - least) / (most - least);
        int guess = Math.Min((int)(part * (keys.Length - 1)), keys.Length - 1);
        low = 0;
        int high = keys.Length;
        if (IsBelow(Unsafe.Add(ref first, guess), key))
        {
            low = guess + 1;
            for (int step = FirstStep; low + step <= high; step *= 2)
            {
                int probe = low + step - 1;
                if (!IsBelow(Unsafe.Add(ref first, probe), key))
                {
                    high = probe;
                    break;
                }

                low = probe + 1;
            }
        }
        else
        {
            high = guess;
            for (int step = FirstStep; high - step >= 0; step *= 2)
            {
                int probe = high - step;
                if (IsBelow(Unsafe.Add(ref first, probe), key))
                {
                    low = probe + 1;
                    break;
                }

                high = probe;
            }
        }

        count = high - low;
    }

    /// <summary>A key as a number, in the order of keys. The canonical NaN is negative, so it comes before minus infinity.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Rank<TKey>(TKey key)
        where TKey : unmanaged
    {
        ulong bits = Unsafe.BitCast<TKey, ulong>(key);
        return typeof(TKey) == typeof(long) ? bits ^ SignBit
            : typeof(TKey) == typeof(double) ? ((bits & SignBit) == 0 ? bits ^ SignBit : ~bits)
            : bits;
    }

    /// <summary>As above for a column and a key in its ordered form, which has the right length.</summary>
    internal static int Find(FixedKeyKind kind, ReadOnlySpan<byte> column, ReadOnlySpan<byte> ordered, out bool exact) => kind switch
    {
        FixedKeyKind.Int64 => Find(MemoryMarshal.Cast<byte, long>(column), Read<long>(ordered), out exact),
        FixedKeyKind.UInt64 => Find(MemoryMarshal.Cast<byte, ulong>(column), Read<ulong>(ordered), out exact),
        FixedKeyKind.Double => Find(MemoryMarshal.Cast<byte, double>(column), Read<double>(ordered), out exact),
        _ => Find(MemoryMarshal.Cast<byte, Guid>(column), Read<Guid>(ordered), out exact),
    };

    /// <summary>Returns whether a key is below another one; both are normal, or from a column.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsBelow<TKey>(TKey left, TKey right)
        where TKey : unmanaged
    {
        if (typeof(TKey) == typeof(long))
        {
            return Unsafe.BitCast<TKey, long>(left) < Unsafe.BitCast<TKey, long>(right);
        }

        if (typeof(TKey) == typeof(ulong))
        {
            return Unsafe.BitCast<TKey, ulong>(left) < Unsafe.BitCast<TKey, ulong>(right);
        }

        if (typeof(TKey) == typeof(double))
        {
            double first = Unsafe.BitCast<TKey, double>(left);
            double second = Unsafe.BitCast<TKey, double>(right);
            return first < second || (double.IsNaN(first) && !double.IsNaN(second));
        }

        return Unsafe.BitCast<TKey, Guid>(left).CompareTo(Unsafe.BitCast<TKey, Guid>(right)) < 0;
    }

    /// <summary>Converts the ordered form of a key, which has the right length, to that of a column.</summary>
    internal static void ToColumn(FixedKeyKind kind, ReadOnlySpan<byte> ordered, Span<byte> native)
    {
        switch (kind)
        {
            case FixedKeyKind.Int64:
                MemoryMarshal.Write(native, Read<long>(ordered));
                break;
            case FixedKeyKind.UInt64:
                MemoryMarshal.Write(native, Read<ulong>(ordered));
                break;
            case FixedKeyKind.Double:
                MemoryMarshal.Write(native, Read<double>(ordered));
                break;
            default:
                MemoryMarshal.Write(native, Read<Guid>(ordered));
                break;
        }
    }

    /// <summary>Converts a key of a column to the ordered form and returns its length.</summary>
    internal static int ToOrdered(FixedKeyKind kind, ReadOnlySpan<byte> native, Span<byte> ordered) => kind switch
    {
        FixedKeyKind.Int64 => Write(MemoryMarshal.Read<long>(native), ordered),
        FixedKeyKind.UInt64 => Write(MemoryMarshal.Read<ulong>(native), ordered),
        FixedKeyKind.Double => Write(MemoryMarshal.Read<double>(native), ordered),
        _ => Write(MemoryMarshal.Read<Guid>(native), ordered),
    };

    /// <summary>Gives the keys of a column the one form of keys that are equal.</summary>
    internal static void Normalize(FixedKeyKind kind, Span<byte> column)
    {
        if (kind == FixedKeyKind.Double)
        {
            foreach (ref double key in MemoryMarshal.Cast<byte, double>(column))
            {
                key = Normal(key);
            }
        }
    }

    /// <summary>Returns whether each key is above the one before; they need not be normal.</summary>
    internal static bool IsAscending<TKey>(ReadOnlySpan<TKey> keys)
        where TKey : unmanaged
    {
        for (int i = 1; i < keys.Length; i++)
        {
            if (!IsBelow(keys[i - 1], keys[i]))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Returns whether the ordered form is that of a normal key: two forms of one key would be two keys.</summary>
    internal static bool IsNormal(FixedKeyKind kind, ReadOnlySpan<byte> ordered)
    {
        if (kind != FixedKeyKind.Double)
        {
            return true;
        }

        double key = Read<double>(ordered);
        return BitConverter.DoubleToInt64Bits(key) == BitConverter.DoubleToInt64Bits(Normal(key));
    }
}
