using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.Transactions;

/// <content>Values written to the data file piece by piece before they are put into a tree.</content>
internal sealed partial class WriteSession
{
    /// <summary>Value writers that are not completed; the transaction cannot commit while there are any.</summary>
    private int _openWriters;

    /// <summary>Incremented when rolling back to a savepoint ends the open value writers.</summary>
    internal long EndedWriters { get; private set; }

    /// <summary>In replay: inserts or replaces an entry whose value is already in the data file.</summary>
    internal void ReplayPlaced(int index, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> runs) =>
        Change(Generation, TreeChange.AdoptRuns, index, key, MemoryMarshal.AsBytes(runs));

    /// <summary>Begins writing a value; the caller must call <see cref="EndWriter"/> afterwards.</summary>
    internal void BeginWriter(int index, ReadOnlySpan<byte> key)
    {
        Limits.CheckKey(key);
        CheckUsable();
        _open.Living(index);
        _openWriters++;
    }

    internal void EndWriter() => _openWriters--;

    /// <summary>Writes a piece of a value to the data file; no tree references it yet.</summary>
    internal PlacedRun WritePiece(long generation, ReadOnlySpan<byte> piece)
    {
        CheckUsable();
        Change(generation, TreeChange.WritePiece, -1, piece);
        return _changes.LastPiece;
    }

    /// <summary>Inserts or replaces an entry with a value made of these pieces.</summary>
    internal void PutPieces(long generation, int index, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> pieces)
    {
        CheckUsable();
        if (_open[index].Dropped)
        {
            // The value's tree was dropped, and nothing else references the value's pages.
            FreePieces(generation, pieces);
        }

        _open.Living(index);
        Change(generation, TreeChange.PutRuns, index, key, MemoryMarshal.AsBytes(pieces));
    }

    /// <summary>Frees the pieces of a value that will not be put.</summary>
    internal void FreePieces(long generation, ReadOnlySpan<PlacedRun> pieces)
    {
        CheckUsable();
        Change(generation, TreeChange.FreeRuns, -1, default, MemoryMarshal.AsBytes(pieces));
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
    private void EndWriters()
    {
        _openWriters = 0;
        EndedWriters++;
    }
}
