#if CHECKED
// Unsafe fence, only to give the address in the type that is asked for. Bounds: the block ends right before forbidden memory.
using Voron.Native;

namespace Voron.Storage.IO;

/// <summary>Blocks of any length in the checked build, for <see cref="SystemMemory"/>.</summary>
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

    /// <summary>What was not given out here, or was given back before, throws.</summary>
    internal static void Free(nint address)
    {
        if (address == 0)
        {
            return;
        }

        if (!GuardedMemory.TryFree(address))
        {
            throw new InvalidOperationException($"The memory at {address:x} was given back before, or was never given out.");
        }

        NativeCounts.AddRegions(-1);
    }
}
#endif
