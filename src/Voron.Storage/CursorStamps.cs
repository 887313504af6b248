using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Voron.Storage;

/// <summary>
/// Stamps at the end of the buffers of cursors, by which a cursor notices that a copy of it was moved or disposed: each cursor has the
/// stamp of its last move, and its buffer that of the last move of any copy.
/// </summary>
internal static class CursorStamps
{
    internal const int Bytes = sizeof(long);

    /// <summary>
    /// The first stamp of the thread's next cursor. Each thread, and each of its cursors, has its own range, so a stamp that an earlier
    /// owner left in a rented buffer never matches a current one.
    /// </summary>
    [ThreadStatic]
    private static long _next;

    private static int _threads;

    /// <summary>Throws if the cursor is disposed, or if a copy of it was moved or disposed since its last move.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void Check([NotNull] byte[]? buffer, long stamp)
    {
        if (buffer is null)
        {
            Transactions.Throw.CursorDisposed();
        }

        if (Of(buffer) != stamp)
        {
            Transactions.Throw.CursorCopied();
        }
    }

    /// <summary>
    /// Returns the buffer of a cursor that is disposed; false if it has none any more, or if a copy uses it or has already returned it.
    /// </summary>
    internal static bool TryReturn(ref byte[]? buffer, long stamp)
    {
        byte[]? own = buffer;
        buffer = null;
        if (own is null || Of(own) != stamp)
        {
            return false;
        }

        Of(own) = 0;
        ArrayPool<byte>.Shared.Return(own);
        return true;
    }

    internal static ref long Of(byte[] buffer) => ref MemoryMarshal.AsRef<long>(buffer.AsSpan(buffer.Length - Bytes));

    /// <summary>Returns the first stamp of a new cursor; each of its moves adds one.</summary>
    internal static long Take()
    {
        const int MoveBits = 24;
        const int CursorBits = 20;
        if (_next == 0)
        {
            _next = (long)Interlocked.Increment(ref _threads) << (MoveBits + CursorBits);
        }

        return _next += 1L << MoveBits;
    }
}
