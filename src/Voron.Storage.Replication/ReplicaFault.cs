namespace Voron.Storage.Replication;

/// <summary>Why a node has stopped.</summary>
public enum ReplicaFault
{
    /// <summary>The node goes on.</summary>
    None,

    /// <summary>An entry of the log is damaged, or is none of a replica.</summary>
    LogDamaged,

    /// <summary>An entry has a format that this version does not know: upgrade this node.</summary>
    LogUnknown,

    /// <summary>The log is not the one whose transactions the database has.</summary>
    OtherLog,

    /// <summary>The database has transactions that the log does not have: the log has lost its end.</summary>
    AheadOfLog,

    /// <summary>The log was trimmed beyond what the database has, and there is no snapshot to begin anew from.</summary>
    BehindLog,

    /// <summary>The database cannot take the transactions of the log; the inner exception says why.</summary>
    Database,
}
