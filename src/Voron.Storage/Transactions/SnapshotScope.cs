using System.Diagnostics;
using Voron.Storage.Paging;
using Voron.Storage.Platform;
using Voron.Storage.Trees;

namespace Voron.Storage.Transactions;

/// <summary>
/// What a transaction handle points to: the snapshot it reads and a generation. Scopes are reused; a handle keeps the generation it was
/// made with, so a stale one is noticed and never touches somebody else's transaction.
/// </summary>
internal abstract class SnapshotScope(PageSource source)
{
    private long _generation = 1;

    /// <summary>The snapshot's transaction id, or −1 while nobody uses the scope.</summary>
    private long _snapshot = Unused;

    /// <summary>
    /// Made when first needed: an object made with the scope stands beside another slot, and each look at it would miss the cache because
    /// of the transactions that begin there.
    /// </summary>
    private KeyMemory? _keys;

    internal const long Unused = -1;

    internal PageSource Source { get; } = source;

    /// <summary>Keys that readers of this scope were given and that no page has in one piece.</summary>
    internal KeyMemory Keys => Volatile.Read(ref _keys) ?? MakeKeys();

    internal long Generation => Volatile.Read(ref _generation);

    internal long Snapshot => Volatile.Read(ref _snapshot);

    /// <summary>Stores the snapshot with a full fence behind it: whoever reclaims afterwards sees it.</summary>
    private protected void AnnounceSnapshot(long snapshot) => Interlocked.Exchange(ref _snapshot, snapshot);

    /// <summary>The same for a scope that nobody uses; false when somebody does.</summary>
    private protected bool TryAnnounce(long snapshot)
    {
        bool announced = Interlocked.CompareExchange(ref _snapshot, snapshot, Unused) == Unused;
        HeldCounts.AddSnapshots(announced ? 1 : 0);
        return announced;
    }

    private protected void SetSnapshot(long snapshot)
    {
        HeldCounts.AddSnapshots((snapshot == Unused ? 0 : 1) - (_snapshot == Unused ? 0 : 1));
        Volatile.Write(ref _snapshot, snapshot);
    }

    /// <summary>Makes all handles of the present use stale. One caller at a time.</summary>
    private protected void EndGeneration()
    {
        Volatile.Write(ref _generation, _generation + 1);
        _keys?.Reset();
    }

    [StackTraceHidden]
    internal void CheckGeneration(long generation)
    {
        if (Volatile.Read(ref _generation) != generation)
        {
            Throw.TransactionEnded();
        }
    }

    private KeyMemory MakeKeys()
    {
        KeyMemory made = new();
        return Interlocked.CompareExchange(ref _keys, made, null) ?? made;
    }
}
