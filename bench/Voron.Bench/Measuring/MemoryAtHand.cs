using System.Diagnostics;
using Voron.Native;

namespace Voron.Bench.Measuring;

/// <summary>
/// Has the system own as much memory as a fill takes, just before it. A virtual machine may give memory that it does not use back to its
/// host, and then the first touch of each page costs microseconds, which is not the same for fills that take different amounts. Some hosts
/// take it back within seconds: what each time cost tells how much this helps.
/// </summary>
internal static class MemoryAtHand
{
    internal const int Mebibytes = 1536;

    /// <summary>Takes the memory and gives it back at once; returns what a mebibyte cost, in milliseconds.</summary>
    internal static double Take()
    {
        const NativeMemoryOptions Touched = NativeMemoryOptions.HugePages | NativeMemoryOptions.PreFault;
        long start = Stopwatch.GetTimestamp();
        if (NativeMemoryRegion.Allocate((long)Mebibytes << 20, Touched, out NativeMemoryRegion? region) is { Failed: true } refused)
        {
            throw new InsufficientMemoryException($"{Mebibytes:N0} MiB of memory cannot be had: {refused}.");
        }

        double milliseconds = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
        region!.Dispose();
        return milliseconds / Mebibytes;
    }
}
