using System.Collections.Concurrent;
using Voron.Native;
using Voron.Storage.IO;

namespace Voron.Simulation;

/// <summary>
/// Memory of closed databases for those that are opened next: a lane opens thousands, and the system takes longer to map their memory than
/// they to recover. What comes back is zeroed at once, so that a use after the end reads an empty page.
/// </summary>
internal sealed class ReusedMemory : IMemorySource
{
    private const int MostIdleOfLength = 16;
    private const long LongestBytes = 1 << 20;

    private readonly ConcurrentDictionary<(long Bytes, NativeMemoryOptions Options), ConcurrentBag<NativeMemoryRegion>> _idle = [];

    public NativeResult Take(long bytes, NativeMemoryOptions options, out NativeMemoryRegion? region)
    {
        long whole = (bytes + NativePlatform.PageBytes - 1) & -NativePlatform.PageBytes;
        if (_idle.TryGetValue((whole, options), out ConcurrentBag<NativeMemoryRegion>? idle) && idle.TryTake(out region))
        {
            return NativeResult.Success;
        }

        return NativeMemoryRegion.Allocate(bytes, options, out region);
    }

    public void Return(NativeMemoryRegion region, NativeMemoryOptions options)
    {
        long bytes = region.LengthBytes;
        if (bytes <= LongestBytes)
        {
            ConcurrentBag<NativeMemoryRegion> idle = _idle.GetOrAdd((bytes, options), static _ => []);
            if (idle.Count < MostIdleOfLength)
            {
                region.Span(0, (int)bytes).Clear();
                idle.Add(region);
                return;
            }
        }

        region.Dispose();
    }
}
