using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Transactions;

/// <summary>The validity of a value that was read: it may be accessed until its transaction ends or, in a write transaction, changes the
/// value's tree.</summary>
/// <param name="Scope">The transaction's scope.</param>
/// <param name="Generation">The scope's generation when the value was read.</param>
/// <param name="Tree">In a write transaction, the index of the tree.</param>
internal sealed record ValueScope(SnapshotScope Scope, long Generation, int Tree)
{
    private readonly int _version = (Scope as WriteSession)?.Trees.VersionOf(Tree) ?? 0;

    internal PageSource Source => Scope.Source;

    internal TransactionId Snapshot => Scope.Snapshot;

    internal void Check()
    {
        Scope.CheckGeneration(Generation);
        if (Scope is WriteSession session && session.Trees.VersionOf(Tree) != _version)
        {
            Throw.TreeChanged();
        }
    }
}
