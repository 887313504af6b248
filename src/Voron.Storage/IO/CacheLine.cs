// Unsafe fence. Bounds: none are needed, for nothing is read; the processor ignores an address that is not mapped.
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;

namespace Voron.Storage.IO;

/// <summary>
/// Asks the processor for lines of memory ahead of their use. Random puts and gets wait for memory most of their time; what is asked for
/// together comes together.
/// </summary>
internal static unsafe class CacheLine
{
    internal const int Bytes = 64;

    /// <summary>False where nothing can be asked for: then it is not worth finding out what.</summary>
    internal static bool CanFetch => Sse.IsSupported;

    /// <summary>Asks for the line that this address is in.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void Fetch(void* address)
    {
        if (Sse.IsSupported)
        {
            Sse.Prefetch0(address);
        }
    }
}
