namespace Voron.Storage.Replication.Core;

/// <summary>Which snapshots and entries are needed.</summary>
internal static class SnapshotRule
{
    /// <summary>How many snapshots stay: one that turns out to be damaged has another behind it.</summary>
    internal const int Kept = 2;

    /// <summary>A shorter log takes little room, and little time to read.</summary>
    private const long LeastBytes = 1L << 30;

    /// <summary>Whether a snapshot spares nodes that begin anew enough of the log.</summary>
    /// <param name="logBytes">Of the log since the last one.</param>
    /// <param name="databaseBytes">What a snapshot has to write.</param>
    /// <param name="every">After how many bytes of the log it was asked for; null for half of the database, at least 1 GiB.</param>
    internal static bool IsDue(long logBytes, long databaseBytes, long? every) =>
        logBytes >= (every ?? Math.Max(LeastBytes, databaseBytes / 2));

    /// <summary>
    /// The first entry that stays: that of the older snapshot. It is needed itself: by it the node finds that the log is the same.
    /// </summary>
    /// <param name="newestFirst">All snapshots.</param>
    internal static long TrimBelow(IReadOnlyList<ReplicaSnapshot> newestFirst) =>
        newestFirst.Count < Kept ? 0 : newestFirst[Kept - 1].Position;

    /// <summary>The snapshot to begin from, if the log has all behind it; null if there is none.</summary>
    internal static ReplicaSnapshot? Choose(IReadOnlyList<ReplicaSnapshot> newestFirst, long first) =>
        newestFirst.FirstOrDefault(one => one.Position >= first - 1);
}
