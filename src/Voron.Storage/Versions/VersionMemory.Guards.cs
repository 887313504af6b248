// Unsafe fence. Bounds: a guarded block is as long as asked for, and its place in the pool is kept until it comes back.
using System.Diagnostics;
using Voron.Storage.IO;
#if CHECKED
using Voron.Native;
#endif

namespace Voron.Storage.Versions;

/// <content>
/// What the checked build (<c>-p:Checked=true</c>) adds; in every other build the calls of these methods vanish. Each block is handed out
/// as memory of its own between pages that nobody may touch, and the block of the pool that it stands for lies idle: so what is counted,
/// carved and spilled is the same as ever. So many at a time and no more; the others are poisoned when they come back.
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
    /// The block holds what a published version shows: a store into it ends the process. Not for heaps, which are appended to.
    /// </summary>
    [Conditional("CHECKED")]
    internal static void Seal(byte* block)
    {
#if CHECKED
        GuardedMemory.Seal((nint)block);
#endif
    }

    partial void Guard(ref byte* block, int bytes);

    /// <summary>The pool's block for a guarded one, which nobody may touch any more.</summary>
    partial void Unguard(ref byte* block);

    /// <summary>All that anybody can still reach was given back by now; what is left was lost.</summary>
    partial void CountLost();

#if CHECKED
    partial void Guard(ref byte* block, int bytes)
    {
        nint guarded = GuardedMemory.TryAllocateBlock(bytes);
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
            GuardedMemory.TryFree((nint)block);
            block = (byte*)pooled;
        }
    }

    partial void CountLost()
    {
        HeldCounts.AddLostBytes(UsedBytes);
        foreach (nint guarded in _guarded.Keys)
        {
            GuardedMemory.TryFree(guarded);
        }

        _guarded.Clear();
        UsedBytes = 0;
    }
#endif
}
