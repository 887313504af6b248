using System.Numerics;
using System.Runtime.InteropServices;

namespace Voron.Bench.Fixed;

/// <summary>The sum of a column of numbers, as a program with vectors takes it.</summary>
internal static class ColumnSum
{
    internal static long Of(ReadOnlySpan<long> column)
    {
        ref long first = ref MemoryMarshal.GetReference(column);
        Vector<long> even = Vector<long>.Zero;
        Vector<long> odd = Vector<long>.Zero;
        int at = 0;
        for (; at + (2 * Vector<long>.Count) <= column.Length; at += 2 * Vector<long>.Count)
        {
            even += Vector.LoadUnsafe(ref first, (nuint)at);
            odd += Vector.LoadUnsafe(ref first, (nuint)(at + Vector<long>.Count));
        }

        long sum = Vector.Sum(even + odd);
        for (; at < column.Length; at++)
        {
            sum += column[at];
        }

        return sum;
    }
}
