// Unsafe fence. Bounds: none are needed, for nothing is read; the processor ignores an address that is not mapped.
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;

namespace Voron.Storage.IO;

/// <summary>
/// Prefetches lines of memory. Random puts and gets wait for memory most of their time; lines that are requested together arrive together.
/// </summary>
internal static unsafe class CacheLine
{
    internal const int Bytes = 64;

    /// <summary>Whether the processor can prefetch; if not, there is no need to compute addresses.</summary>
    internal static bool CanFetch => Sse.IsSupported;

    /// <summary>Prefetches the line of this address.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void Fetch(void* address)
    {
        if (Sse.IsSupported)
        {
            Sse.Prefetch0(address);
        }
    }
}
