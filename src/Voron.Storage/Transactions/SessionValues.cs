using Voron.Storage.Format;

namespace Voron.Storage.Transactions;

/// <summary>
/// Values of the write transaction that are written to the data file piece by piece before they are put into a tree, and their writers.
/// </summary>
internal sealed class SessionValues(SessionFrame frame, OpenTreeTable open, TreeChanges changes, StorageLimits limits)
{
    /// <summary>Value writers that are not completed; the transaction cannot commit while there are any.</summary>
    private int _openWriters;

    /// <summary>Incremented when rolling back to a savepoint ends the open value writers.</summary>
    internal long EndedWriters { get; private set; }

    /// <summary>Begins writing a value; the caller must call <see cref="EndWriter"/> afterwards.</summary>
    internal void BeginWriter(int index, ReadOnlySpan<byte> key)
    {
        limits.CheckKey(key);
        frame.CheckUsable();
        open.Living(index);
        _openWriters++;
    }

    internal void EndWriter() => _openWriters--;

    /// <summary>Writes a piece of a value to the data file; no tree references it yet.</summary>
    internal PlacedRun WritePiece(long generation, ReadOnlySpan<byte> piece)
    {
        frame.CheckUsable();
        WriteChange change = new(changes, piece);
        frame.Run(generation, ref change);
        return change.Written;
    }

    /// <summary>Inserts or replaces an entry with a value made of these pieces.</summary>
    internal void PutPieces(long generation, int index, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> pieces)
    {
        frame.CheckUsable();
        if (open[index].Dropped)
        {
            // The value's tree was dropped, and nothing else references the value's pages.
            FreePieces(generation, pieces);
        }

        open.Living(index);
        PutChange change = new(changes, index, key, pieces);
        frame.Run(generation, ref change);
    }

    /// <summary>Frees the pieces of a value that will not be put.</summary>
    internal void FreePieces(long generation, ReadOnlySpan<PlacedRun> pieces)
    {
        frame.CheckUsable();
        FreeChange change = new(changes, pieces);
        frame.Run(generation, ref change);
    }

    /// <summary>In replay: inserts or replaces an entry whose value is already in the data file.</summary>
    internal void Replay(long generation, int index, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> runs)
    {
        AdoptChange change = new(changes, index, key, runs);
        frame.Run(generation, ref change);
    }

    /// <summary>Refuses a commit or savepoint while a value is half written: it would belong to neither side of it.</summary>
    internal void CheckNoWriter()
    {
        if (_openWriters > 0)
        {
            Throw.WriterOpen(_openWriters);
        }
    }

    /// <summary>
    /// Ends all open value writers, whose pieces a rollback undoes: they were all opened after the newest savepoint.
    /// </summary>
    internal void EndWriters()
    {
        _openWriters = 0;
        EndedWriters++;
    }

    /// <summary>Forgets the writers of a transaction that ends; the generation of their handles makes them stale.</summary>
    internal void Clear() => _openWriters = 0;

    private ref struct WriteChange(TreeChanges changes, ReadOnlySpan<byte> piece) : SessionFrame.IChange
    {
        private readonly ReadOnlySpan<byte> _piece = piece;

        internal PlacedRun Written { get; private set; }

        public void Run() => Written = changes.WritePiece(_piece);
    }

    private readonly ref struct PutChange(TreeChanges changes, int tree, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> runs)
        : SessionFrame.IChange
    {
        private readonly ReadOnlySpan<byte> _key = key;
        private readonly ReadOnlySpan<PlacedRun> _runs = runs;

        public void Run() => changes.PutRuns(tree, _key, _runs);
    }

    private readonly ref struct AdoptChange(TreeChanges changes, int tree, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> runs)
        : SessionFrame.IChange
    {
        private readonly ReadOnlySpan<byte> _key = key;
        private readonly ReadOnlySpan<PlacedRun> _runs = runs;

        public void Run() => changes.AdoptRuns(tree, _key, _runs);
    }

    private readonly ref struct FreeChange(TreeChanges changes, ReadOnlySpan<PlacedRun> runs) : SessionFrame.IChange
    {
        private readonly ReadOnlySpan<PlacedRun> _runs = runs;

        public void Run() => changes.FreeRuns(_runs);
    }
}
