#if CHECKED
using Voron.Native.Unix;

namespace Voron.Native;

/// <summary>
/// Memory of the checked build (<c>-p:Checked=true</c>, Linux) with inaccessible pages before and after it. Freed memory also becomes
/// inaccessible, until many more pieces have been freed after it. A forbidden access ends the process where it happens.
/// </summary>
internal static class GuardedMemory
{
    /// <summary>
    /// The system allows a process some 65,000 ranges with different access; a guarded piece takes two, a freed one up to two.
    /// </summary>
    private const int MostPieces = 12_000;
    private const int MostKept = 4096;
    private const int BlockAlignment = 16;
    private const byte Fresh = 0xCD;
    private static readonly Dictionary<nint, Piece> Live = [];
    private static readonly Queue<Piece> Freed = [];
    private static int _isHeld;

    /// <summary>Allocates zeroed pages.</summary>
    internal static NativeResult Allocate(long length, long alignment, NativeMemoryOptions options, out nint address)
    {
        NativeResult given = Reserve(length, alignment, out Piece piece);
        address = piece.Begin;
        if (!given.Failed)
        {
            UnixMemory.Advise(address, length, options);
            Keep(address, piece);
        }

        return given;
    }

    /// <summary>Allocates zeroed memory of any length; it ends right before an inaccessible page, or up to 15 bytes before it.</summary>
    internal static NativeResult AllocateAtEnd(long bytes, out nint address)
    {
        long used = Math.Max(BlockAlignment, (bytes + BlockAlignment - 1) & -BlockAlignment);
        long length = (used + NativePlatform.PageBytes - 1) & -NativePlatform.PageBytes;
        NativeResult given = Reserve(length, NativePlatform.PageBytes, out Piece piece);
        address = 0;
        if (!given.Failed)
        {
            address = piece.Begin + (nint)(length - used);
            Keep(address, piece);
        }

        return given;
    }

    /// <summary>
    /// Like <see cref="AllocateAtEnd"/>, but not zeroed; returns 0 if the limit of guarded pieces is reached or the allocation fails.
    /// </summary>
    internal static unsafe nint TryAllocateBlock(int bytes)
    {
        if (CountLive() >= MostPieces || AllocateAtEnd(bytes, out nint address).Failed)
        {
            return 0;
        }

        new Span<byte>((void*)address, bytes).Fill(Fresh);
        return address;
    }

    /// <summary>Makes a piece read-only. Does nothing if the address is not that of a piece.</summary>
    internal static void Seal(nint address)
    {
        using (Hold())
        {
            if (Live.TryGetValue(address, out Piece piece))
            {
                _ = LibC.Mprotect(piece.Begin, (nuint)piece.Length, MemoryFlags.Read);
            }
        }
    }

    /// <summary>Frees a piece; returns false if the address is not that of a piece, or the piece was freed before.</summary>
    internal static bool TryFree(nint address)
    {
        using (Hold())
        {
            if (!Live.Remove(address, out Piece piece))
            {
                return false;
            }

            _ = UnixMemory.Clear(piece.Begin, piece.Length);
            _ = LibC.Mprotect(piece.Begin, (nuint)piece.Length, MemoryFlags.NoAccess);
            Freed.Enqueue(piece);
            if (Freed.Count > MostKept)
            {
                Piece oldest = Freed.Dequeue();
                UnixMemory.Free(oldest.Start, oldest.Bytes);
            }

            return true;
        }
    }

    /// <summary>
    /// A spin lock instead of a lock of the runtime: an interrupted thread would leave that with an exception, and no allocation may throw.
    /// </summary>
    private static Scope Hold()
    {
        while (Interlocked.Exchange(ref _isHeld, 1) != 0)
        {
            Thread.Yield();
        }

        return default;
    }

    private static int CountLive()
    {
        using (Hold())
        {
            return Live.Count;
        }
    }

    private static void Keep(nint address, Piece piece)
    {
        using (Hold())
        {
            Live.Add(address, piece);
        }
    }

    private static NativeResult Reserve(long length, long alignment, out Piece piece)
    {
        piece = default;
        long bytes = checked(length + alignment + NativePlatform.PageBytes);
        NativeResult reserved = UnixMemory.Reserve(bytes, out nint start);
        if (reserved.Failed)
        {
            return reserved;
        }

        nint begin = (nint)((start + NativePlatform.PageBytes + alignment - 1) & -alignment);
        NativeResult usable = UnixMemory.Commit(begin, length);
        if (usable.Failed)
        {
            UnixMemory.Free(start, bytes);
            return usable;
        }

        piece = new Piece(start, bytes, begin, length);
        return NativeResult.Success;
    }

    private readonly struct Scope : IDisposable
    {
        public void Dispose() => Volatile.Write(ref _isHeld, 0);
    }

    /// <param name="Start">First byte of the address space.</param>
    /// <param name="Bytes">Length of the address space.</param>
    /// <param name="Begin">First usable byte.</param>
    /// <param name="Length">Number of usable bytes, in whole pages.</param>
    private readonly record struct Piece(nint Start, long Bytes, nint Begin, long Length);
}
#endif
