using System.Diagnostics;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

namespace Voron.Storage.Transactions;

/// <summary>
/// The object behind a transaction handle: the snapshot it reads and a generation. Scopes are reused; a handle keeps the generation it was
/// created with, so a stale handle is detected and never affects a later transaction.
/// </summary>
internal abstract class SnapshotScope(PageSource source)
{
    private long _generation = 1;

    /// <summary>The snapshot's transaction id, or −1 while the scope is unused.</summary>
    private long _snapshotValue = Unused.Value;

    /// <summary>
    /// Created on first use: an object created together with the scope would be adjacent to another slot, and the transactions that begin
    /// there would evict its cache line.
    /// </summary>
    private KeyMemory? _keys;

    internal static TransactionId Unused => new(-1);

    internal PageSource Source { get; } = source;

    /// <summary>Memory for keys returned to callers of this scope that no page stores contiguously.</summary>
    internal KeyMemory Keys => Volatile.Read(ref _keys) ?? MakeKeys();

    internal long Generation => Volatile.Read(ref _generation);

    internal TransactionId Snapshot => new(Volatile.Read(ref _snapshotValue));

    /// <summary>Stores the snapshot, followed by a full fence: a thread that reclaims afterwards sees it.</summary>
    private protected void AnnounceSnapshot(TransactionId snapshot) => Interlocked.Exchange(ref _snapshotValue, snapshot.Value);

    /// <summary>Like <see cref="AnnounceSnapshot"/>, for an unused scope; false if the scope is in use.</summary>
    private protected bool TryAnnounce(TransactionId snapshot)
    {
        bool announced = Interlocked.CompareExchange(ref _snapshotValue, snapshot.Value, Unused.Value) == Unused.Value;
        HeldCounts.AddSnapshots(announced ? 1 : 0);
        return announced;
    }

    private protected void SetSnapshot(TransactionId snapshot)
    {
        HeldCounts.AddSnapshots((snapshot == Unused ? 0 : 1) - (Snapshot == Unused ? 0 : 1));
        Volatile.Write(ref _snapshotValue, snapshot.Value);
    }

    /// <summary>Makes all handles of the current use stale. Not safe for concurrent callers.</summary>
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
