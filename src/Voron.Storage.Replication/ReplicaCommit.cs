namespace Voron.Storage.Replication;

/// <summary>What an acknowledged commit of the leader is safe by.</summary>
public enum ReplicaCommit
{
    /// <summary>The log has it, and it survives what the log survives.</summary>
    Log,

    /// <summary>The log has it, and the leader's own device: so the leader's folder is complete if the log is lost.</summary>
    LogAndDevice,
}
