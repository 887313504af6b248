// Unsafe fence. Bounds: what is handed out here is as long as asked for and zero; the caller keeps the length and gives the address back
// once.
using System.Runtime.InteropServices;
using Voron.Native.Unix;

namespace Voron.Storage.IO;

/// <summary>
/// Where all native memory of the engine is asked for, so that a test can refuse it at every place that asks. Memory that cannot be had is
/// an <see cref="InsufficientMemoryException"/>, thrown before the caller has changed anything.
/// </summary>
internal static unsafe class SystemMemory
{
    /// <summary>
    /// Asked on the thread that wants memory, with the bytes wanted; true refuses them. Null in every process that is no test.
    /// </summary>
    internal static Func<long, bool>? Refuses { get; set; }

    /// <summary>True when a test wants this request to fail.</summary>
    internal static bool IsRefused(long bytes) => Refuses is { } refuses && refuses(bytes);

    /// <summary>Zeroed memory of any length.</summary>
    internal static void* AllocateZeroed(long bytes)
    {
        if (IsRefused(bytes))
        {
            Throw.OutOfMemory(bytes, Errno.NOMEM);
        }

#if CHECKED
        return GuardedBlocks.Allocate(bytes);
#else
        try
        {
            return NativeMemory.AllocZeroed((nuint)bytes);
        }
        catch (OutOfMemoryException)
        {
            Throw.OutOfMemory(bytes, Errno.NOMEM);
            return null;
        }
#endif
    }

#if CHECKED
    internal static void Free(void* address) => GuardedBlocks.Free((nint)address);
#else
    internal static void Free(void* address) => NativeMemory.Free(address);
#endif
}
