using Voron.Storage.IO;

#if CHECKED
using System.Diagnostics;
using Voron.Native;

namespace Voron.Storage.Tests.Guards;

/// <summary>All that the engine takes and has to give back, as it is held by the process at a moment.</summary>
internal readonly record struct Held(int Files, int Views, int Regions, int Snapshots, long LostBytes)
{
    /// <summary>Threads of an environment that was closed may still be on their way out.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(2);

    internal static Held Now
    {
        get
        {
            (int files, int views, int regions) = NativeCounts.Held;
            return new Held(files, views, regions, HeldCounts.Snapshots, HeldCounts.LostBytes);
        }
    }

    /// <summary>What is held and was not before, after a while of patience; null when there is nothing.</summary>
    internal static string? LeftSince(Held before)
    {
        long start = Stopwatch.GetTimestamp();
        while (Now.Minus(before) is { IsNothing: false } left)
        {
            if (Stopwatch.GetElapsedTime(start) > Patience)
            {
                return $"{left.Files} files, {left.Views} views of files, {left.Regions} pieces of native memory, "
                    + $"{left.Snapshots} snapshots, {left.LostBytes} bytes of page blocks";
            }

            Thread.Sleep(1);
        }

        return null;
    }

    private bool IsNothing => Files <= 0 && Views <= 0 && Regions <= 0 && Snapshots <= 0 && LostBytes <= 0;

    private Held Minus(Held other) => new(
        Files - other.Files,
        Views - other.Views,
        Regions - other.Regions,
        Snapshots - other.Snapshots,
        LostBytes - other.LostBytes);
}
#endif
