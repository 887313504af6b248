using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Voron.Storage;

/// <summary>
/// Consecutive entries of a fixed-size tree as two columns, which are memory of a page. They are valid while the transaction lives; in a
/// write transaction until the tree changes. They need not be aligned.
/// </summary>
public readonly ref struct FixedBlock<TKey>
    where TKey : unmanaged
{
    private readonly int _valueSize;

    internal FixedBlock(ReadOnlySpan<byte> keys, ReadOnlySpan<byte> values, int valueSize)
    {
        Keys = MemoryMarshal.Cast<byte, TKey>(keys);
        ValueBytes = values;
        _valueSize = valueSize;
    }

    /// <summary>The number of entries, at least 1.</summary>
    public int Count => Keys.Length;

    /// <summary>The keys in ascending order.</summary>
    public ReadOnlySpan<TKey> Keys { get; }

    /// <summary>The values of the keys, one after the other.</summary>
    public ReadOnlySpan<byte> ValueBytes { get; }

    /// <summary>Returns the values as a column of a type that has the length of a value.</summary>
    /// <exception cref="ArgumentException">The type has another length than the values of the tree.</exception>
    public ReadOnlySpan<T> Values<T>()
        where T : unmanaged
    {
        if (Unsafe.SizeOf<T>() != _valueSize)
        {
            Structures.Throw.NoColumn(typeof(T), Unsafe.SizeOf<T>(), _valueSize);
        }

        return MemoryMarshal.Cast<byte, T>(ValueBytes);
    }
}
