using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Voron.Storage.IO;

namespace Voron.Storage.Versions;

/// <summary>Memory of a filter: lines of the processor's caches, of which the hash of a key chooses one. Zero at first.</summary>
/// <typeparam name="T">What a line consists of.</typeparam>
internal readonly struct HashedLines<T>
    where T : unmanaged
{
    private readonly T[] _memory;
    private readonly int _first;
    private readonly ulong _count;

    internal HashedLines(ulong count)
    {
        _count = count;

        // An array that does not move keeps the distance of its first line.
        _memory = GC.AllocateArray<T>(checked((int)(count + 1) * PerLine), pinned: true);
        int beyond = (int)(Marshal.UnsafeAddrOfPinnedArrayElement(_memory, 0) % CacheLine.Bytes);
        _first = (CacheLine.Bytes - beyond) % CacheLine.Bytes / Unsafe.SizeOf<T>();
    }

    /// <summary>The line of a key.</summary>
    internal Span<T> this[ulong hash]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _memory.AsSpan(_first + ((int)Math.BigMul(hash, _count, out _) * PerLine), PerLine);
    }

    internal void Clear() => Array.Clear(_memory);

    private static int PerLine => CacheLine.Bytes / Unsafe.SizeOf<T>();

    /// <summary>
    /// Bits that choose places in the line, the lowest ones first. The line is chosen by the high bits of the hash; so the places come from
    /// all of them, mixed once more.
    /// </summary>
    internal static ulong PlacesOf(ulong hash) => hash * 0xC2B2_AE3D_27D4_EB4F;
}
