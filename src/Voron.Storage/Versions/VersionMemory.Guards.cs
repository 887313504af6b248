// Unsafe fence. Bounds: a guarded block is as long as requested, and its place in the pool is kept until it is returned.
using System.Diagnostics;
using Voron.Storage.IO;

namespace Voron.Storage.Versions;

/// <content>
/// What the checked build (<c>-p:Checked=true</c>) adds; in other builds the calls of these methods are omitted. Each block is rented as
/// memory of its own between inaccessible pages, and the block of the pool that it replaces is idle, so counting, carving and spilling are
/// the same. The number of guarded blocks is limited; the others are poisoned when they are returned.
/// </content>
internal sealed unsafe partial class VersionMemory
{
#if CHECKED
    internal const bool IsChecked = true;

    private readonly Dictionary<nint, nint> _guarded = [];
#else
    internal const bool IsChecked = false;
#endif

    /// <summary>
    /// Makes a store into the block end the process, because it has the content of a published version. Not for heaps, which are appended
    /// to.
    /// </summary>
    [Conditional("CHECKED")]
    internal static void Seal(byte* block)
    {
#if CHECKED
        GuardedBlocks.Seal((nint)block);
#endif
    }

    partial void Guard(ref byte* block, int bytes);

    /// <summary>Returns the block of the pool for a guarded one, which no thread may use any more.</summary>
    partial void Unguard(ref byte* block);

    /// <summary>Counts what was not returned although no thread can still reach it.</summary>
    partial void CountLost();

#if CHECKED
    partial void Guard(ref byte* block, int bytes)
    {
        nint guarded = GuardedBlocks.TryAllocateBlock(bytes);
        if (guarded != 0)
        {
            _guarded.Add(guarded, (nint)block);
            block = (byte*)guarded;
        }
    }

    partial void Unguard(ref byte* block)
    {
        if (_guarded.Remove((nint)block, out nint pooled))
        {
            GuardedBlocks.FreeBlock((nint)block);
            block = (byte*)pooled;
        }
    }

    partial void CountLost()
    {
        HeldCounts.AddLostBytes(UsedBytes);
        foreach (nint guarded in _guarded.Keys)
        {
            GuardedBlocks.FreeBlock(guarded);
        }

        _guarded.Clear();
        UsedBytes = 0;
    }
#endif
}
