using System.Diagnostics;

namespace Voron.Storage.IO;

/// <summary>Counts of what the engine currently holds, in the checked build only.</summary>
internal static class HeldCounts
{
    private static int _snapshots;
    private static long _lostBytes;

    /// <summary>Snapshots in use by readers, write transactions and running checkpoints.</summary>
    internal static int Snapshots => Volatile.Read(ref _snapshots);

    /// <summary>Bytes of page blocks that were unreachable when their environment closed and had not been returned.</summary>
    internal static long LostBytes => Volatile.Read(ref _lostBytes);

    [Conditional("CHECKED")]
    internal static void AddSnapshots(int change) => Interlocked.Add(ref _snapshots, change);

    [Conditional("CHECKED")]
    internal static void AddLostBytes(long bytes) => Interlocked.Add(ref _lostBytes, bytes);
}
