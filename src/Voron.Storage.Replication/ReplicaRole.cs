namespace Voron.Storage.Replication;

/// <summary>What a node does.</summary>
public enum ReplicaRole
{
    /// <summary>It applies the transactions of the log, and serves reads.</summary>
    Follower,

    /// <summary>It takes write transactions.</summary>
    Leader,

    /// <summary>It has stopped, by a fault or because it was disposed; it serves reads of what it has until it is disposed.</summary>
    Stopped,
}
