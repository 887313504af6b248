// Unsafe fence. Bounds: allocated memory is as long as requested and zero; the caller keeps the length and frees the address once.
using System.Runtime.InteropServices;
using Voron.Native.Unix;

namespace Voron.Storage.IO;

/// <summary>
/// All native memory of the engine is allocated here, so every allocation can be made to fail. Memory that is not available is an <see
/// cref="InsufficientMemoryException"/>, thrown before the caller has changed anything.
/// </summary>
internal static unsafe class SystemMemory
{
    /// <summary>Called on the allocating thread with the number of bytes; true refuses them. Null in a production process.</summary>
    internal static Func<long, bool>? Refuses { get; set; }

    /// <summary>Whether this request is to fail.</summary>
    internal static bool IsRefused(long bytes) => Refuses is { } refuses && refuses(bytes);

    /// <summary>Allocates zeroed memory of any length.</summary>
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
