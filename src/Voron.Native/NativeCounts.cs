using System.Diagnostics;

namespace Voron.Native;

/// <summary>Counts the system resources held at this moment; only in the checked build.</summary>
internal static class NativeCounts
{
    private static int _files;
    private static int _views;
    private static int _regions;

    /// <summary>Open files, views of files, and pieces of memory.</summary>
    internal static (int Files, int Views, int Regions) Held =>
        (Volatile.Read(ref _files), Volatile.Read(ref _views), Volatile.Read(ref _regions));

    [Conditional("CHECKED")]
    internal static void AddFiles(int change) => Interlocked.Add(ref _files, change);

    [Conditional("CHECKED")]
    internal static void AddViews(int change) => Interlocked.Add(ref _views, change);

    [Conditional("CHECKED")]
    internal static void AddRegions(int change) => Interlocked.Add(ref _regions, change);
}
