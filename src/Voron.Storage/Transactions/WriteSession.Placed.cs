using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.Transactions;

/// <content>Values that are written to the data file piece by piece before they are in a tree.</content>
internal sealed partial class WriteSession
{
    /// <summary>Value writers that are not completed: the transaction does not commit before they are.</summary>
    private int _openWriters;

    /// <summary>Grows when a roll-back ends the writers that are open.</summary>
    internal long EndedWriters { get; private set; }

    /// <summary>In replay: inserts or replaces with a value that is in the data file.</summary>
    internal void ReplayPlaced(int index, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> runs) =>
        Change(Generation, TreeChange.AdoptRuns, index, key, MemoryMarshal.AsBytes(runs));

    /// <summary>Begins to write a value; <see cref="EndWriter"/> follows.</summary>
    internal void BeginWriter(int index, ReadOnlySpan<byte> key)
    {
        Limits.CheckKey(key);
        CheckUsable();
        _open.Living(index);
        _openWriters++;
    }

    internal void EndWriter() => _openWriters--;

    /// <summary>Writes a piece of a value to the data file; nothing leads to it yet.</summary>
    internal PlacedRun WritePiece(long generation, ReadOnlySpan<byte> piece)
    {
        CheckUsable();
        Change(generation, TreeChange.WritePiece, -1, piece);
        return _changes.LastPiece;
    }

    /// <summary>Inserts or replaces with a value in these pieces.</summary>
    internal void PutPieces(long generation, int index, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> pieces)
    {
        CheckUsable();
        if (_open[index].Dropped)
        {
            // The value has no tree any more, and nothing else leads to its pages.
            FreePieces(generation, pieces);
        }

        _open.Living(index);
        Change(generation, TreeChange.PutRuns, index, key, MemoryMarshal.AsBytes(pieces));
    }

    /// <summary>Gives back the pieces of a value that nobody wants.</summary>
    internal void FreePieces(long generation, ReadOnlySpan<PlacedRun> pieces)
    {
        CheckUsable();
        Change(generation, TreeChange.FreeRuns, -1, default, MemoryMarshal.AsBytes(pieces));
    }

    /// <summary>Before a commit or a savepoint: a value that is half written belongs to neither side of it.</summary>
    internal void CheckNoWriter()
    {
        if (_openWriters > 0)
        {
            Throw.WriterOpen(_openWriters);
        }
    }

    /// <summary>
    /// The pieces of values not yet complete are undone: all open writers were opened behind the newest savepoint.
    /// </summary>
    private void EndWriters()
    {
        _openWriters = 0;
        EndedWriters++;
    }
}
