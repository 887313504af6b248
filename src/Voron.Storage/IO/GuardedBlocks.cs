#if CHECKED
// Unsafe fence, only to return addresses as pointers. Bounds: the block ends directly before inaccessible memory.
using Voron.Native;

namespace Voron.Storage.IO;

/// <summary>
/// Memory between inaccessible pages, in the checked build: blocks of any length for <see cref="SystemMemory"/>, and blocks of page
/// versions.
/// </summary>
internal static unsafe class GuardedBlocks
{
    internal static void* Allocate(long bytes)
    {
        NativeResult given = GuardedMemory.AllocateAtEnd(bytes, out nint address);
        if (given.Failed)
        {
            Throw.OutOfMemory(bytes, given.Code);
        }

        NativeCounts.AddRegions(1);
        return (void*)address;
    }

    /// <summary>Frees a block. Throws if it was not allocated here, or was freed before.</summary>
    internal static void Free(nint address)
    {
        if (address == 0)
        {
            return;
        }

        if (!GuardedMemory.TryFree(address))
        {
            Throw.NotAllocated(address);
        }

        NativeCounts.AddRegions(-1);
    }

    /// <summary>Returns a block for a page version; 0 if the number of guarded blocks is reached.</summary>
    internal static nint TryAllocateBlock(int bytes) => GuardedMemory.TryAllocateBlock(bytes);

    /// <summary>Frees a block of a page version.</summary>
    internal static void FreeBlock(nint block) => GuardedMemory.TryFree(block);

    /// <summary>Makes the block of a page version read-only, if it is a guarded one.</summary>
    internal static void Seal(nint block) => GuardedMemory.Seal(block);
}
#endif
