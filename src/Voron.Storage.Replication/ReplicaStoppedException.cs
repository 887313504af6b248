namespace Voron.Storage.Replication;

/// <summary>The node has stopped following the log, and does not go on by itself. Reads of what it has go on.</summary>
public sealed class ReplicaStoppedException : Exception
{
    internal ReplicaStoppedException(ReplicaFault fault, string message, Exception? inner = null)
        : base(message, inner) => Fault = fault;

    /// <summary>Why.</summary>
    public ReplicaFault Fault { get; }

    internal static ReplicaStoppedException Damaged(long position, string why) => new(
        ReplicaFault.LogDamaged, $"The entry at position {position} of the log is damaged: {why}. Nothing behind it is applied.");

    internal static ReplicaStoppedException Unknown(long position, string why) => new(
        ReplicaFault.LogUnknown, $"The entry at position {position} of the log cannot be read: {why}. Upgrade this node.");

    internal static ReplicaStoppedException OtherLog(long position, Guid found, Guid expected) => new(
        ReplicaFault.OtherLog,
        $"The entry at position {position} is of log {found}, and this database has the transactions of log {expected}. Check which log "
        + "the node is given, or remove the database and let the node begin anew.");

    internal static ReplicaStoppedException Ahead(long position, long last, string why) => new(
        ReplicaFault.AheadOfLog,
        $"The log has lost entries: {why}. This node had read up to position {position} and has transactions up to {last}. Choose the "
        + "node with the last transaction, begin a new log with it by Replica.ReseedAsync, and discard the databases of the others.");

    internal static ReplicaStoppedException Behind(long position, long first, string why) => new(
        ReplicaFault.BehindLog,
        $"The log was trimmed: it begins at position {first}, and this node has read up to {position}; {why}.");

    internal static ReplicaStoppedException OfDatabase(Exception error) => new(
        ReplicaFault.Database, $"The database of this node cannot take the transactions of the log: {error.Message}", error);
}
