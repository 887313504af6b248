using Voron.Storage.Engine;

namespace Voron.Storage.Replication.Core;

/// <summary>The environment of a node.</summary>
internal sealed class EngineStore(ReplicaDoor door) : IReplicaStore
{
    public long LastTransaction => door.LastTransaction;

    public ValueTask<bool> ApplyAsync(RedoRecord record, ReadOnlyMemory<byte> body, CancellationToken cancellation) =>
        door.ApplyAsync(record, body, cancellation);

    public void Abort() => door.AbortApplied();

    public void Join(Guid log)
    {
        if (door.Log is { } joined && joined != log)
        {
            throw new ReplicaStoppedException(
                ReplicaFault.OtherLog,
                $"The log is {log}, and this database has the transactions of log {joined}. Check which log the node is given, or remove "
                + "the database and let the node begin anew.");
        }

        door.Join(log);
    }
}
