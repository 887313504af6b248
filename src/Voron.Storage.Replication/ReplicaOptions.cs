namespace Voron.Storage.Replication;

/// <summary>Settings of a node.</summary>
public sealed class ReplicaOptions
{
    /// <summary>The name of the node, for people and in <see cref="NotLeaderException"/>; the machine's if null.</summary>
    public string? NodeName { get; set; }

    /// <summary>Where callers reach the node, such as a URL: other nodes name it while this one leads. At most 1,024 bytes.</summary>
    public string Address { get; set; } = string.Empty;

    /// <summary>Whether the node may lead (default true).</summary>
    public bool MayLead { get; set; } = true;

    /// <summary>
    /// How long the log may be silent before a node asks to lead; up to this much again is added at random. At least four times
    /// <see cref="HeartbeatInterval"/> avoids needless changes. Safety does not depend on it. Default 3 seconds.
    /// </summary>
    public TimeSpan LeaderTimeout { get; set; } = TimeSpan.FromSeconds(3);

    /// <summary>How long a leader without commits waits before it appends a sign of life. Default 500 milliseconds.</summary>
    public TimeSpan HeartbeatInterval { get; set; } = TimeSpan.FromMilliseconds(500);

    /// <summary>
    /// How long a commit waits for the log. Then the leader steps down, and the commit's outcome is unknown. Default 30 seconds.
    /// </summary>
    public TimeSpan CommitTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>What an acknowledged commit is safe by (default <see cref="ReplicaCommit.Log"/>).</summary>
    public ReplicaCommit Commit { get; set; } = ReplicaCommit.Log;

    /// <summary>
    /// How often at most the place in the log is saved; a node that is opened again reads the log from there. Default 1 second.
    /// </summary>
    public TimeSpan SaveInterval { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>Where snapshots are; null for none: then the log must keep all entries since the node began.</summary>
    public IReplicaSnapshots? Snapshots { get; set; }

    /// <summary>
    /// After how many bytes of the log the leader writes a snapshot by itself and trims the log, when there are <see cref="Snapshots"/>;
    /// counted by the number of entries and their average length. Null (the default) for half of the database's file, at least 1 GiB;
    /// <see cref="long.MaxValue"/> for never. <see cref="Replica.SnapshotAsync"/> writes one at any time.
    /// </summary>
    public long? SnapshotEvery { get; set; }

    /// <summary>Settings of the environment. It may not be read-only.</summary>
    public StorageOptions Storage { get; set; } = new();

    /// <summary>Called when the role has changed, on a thread that must not be blocked.</summary>
    public Action<ReplicaRole>? OnRoleChanged { get; set; }

    internal void Check()
    {
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(LeaderTimeout, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(HeartbeatInterval, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(CommitTimeout, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThan(SaveInterval, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(SnapshotEvery ?? 1, nameof(SnapshotEvery));
        ArgumentNullException.ThrowIfNull(Address);
        ArgumentNullException.ThrowIfNull(Storage);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Address.Length, 256, nameof(Address));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(NodeName?.Length ?? 0, 256, nameof(NodeName));
        if (Storage.ReadOnly)
        {
            throw new ArgumentException("A node applies what the log has: leave StorageOptions.ReadOnly false.", nameof(Storage));
        }

        Storage.Validate();
    }
}
