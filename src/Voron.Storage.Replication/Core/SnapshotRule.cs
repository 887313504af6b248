namespace Voron.Storage.Replication.Core;

/// <summary>Which snapshots and entries are needed.</summary>
internal static class SnapshotRule
{
    /// <summary>How many snapshots stay: one that turns out to be damaged has another behind it.</summary>
    internal const int Kept = 2;

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
