using Voron.Storage.Paging;

namespace Voron.Storage.Transactions;

/// <summary>How long a value that was read may be looked at: as long as its transaction lives and, in a write transaction, changes nothing
/// in the value's tree.</summary>
/// <param name="Scope">The transaction.</param>
/// <param name="Generation">Its use.</param>
/// <param name="Tree">In a write transaction the index of the tree.</param>
internal sealed record ValueScope(SnapshotScope Scope, long Generation, int Tree)
{
    private readonly int _version = (Scope as WriteSession)?.VersionOf(Tree) ?? 0;

    internal PageSource Source => Scope.Source;

    internal long Snapshot => Scope.Snapshot;

    internal void Check()
    {
        Scope.CheckGeneration(Generation);
        if (Scope is WriteSession session && session.VersionOf(Tree) != _version)
        {
            Throw.TreeChanged();
        }
    }
}
