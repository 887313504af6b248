using Voron.Storage.Engine;

namespace Voron.Storage.Replication.Core;

/// <summary>The database of a node, to which the transactions of the log are applied.</summary>
internal interface IReplicaStore
{
    /// <summary>The last transaction that it has.</summary>
    long LastTransaction { get; }

    /// <summary>Applies a record, unless its transaction is here already.</summary>
    ValueTask<bool> ApplyAsync(RedoRecord record, ReadOnlyMemory<byte> body, CancellationToken cancellation);

    /// <summary>Undoes what was applied of a transaction that has no end.</summary>
    void Abort();

    /// <summary>The database belongs to this log from now on.</summary>
    void Join(Guid log);
}
