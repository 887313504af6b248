using Voron.Storage.Format;
using Voron.Storage.Pages;

namespace Voron.Storage.Transactions;

/// <content>Values that are written to the data file piece by piece before they are in a tree.</content>
internal sealed partial class WriteSession
{
    /// <summary>Value writers that are not completed: the transaction does not commit before they are.</summary>
    private int _openWriters;

    private PlacedRuns Placed => _pages.Placed!;

    /// <summary>In replay: inserts or replaces with a value that is in the data file.</summary>
    internal void ReplayPlaced(int index, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> runs)
    {
        foreach (PlacedRun run in runs)
        {
            Placed.Adopt(run);
        }

        _changes.PutRuns(index, key, runs);
    }

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
    internal PlacedRun WritePiece(ReadOnlySpan<byte> piece)
    {
        CheckUsable();
        _caller.Enter();
        try
        {
            return Placed.Write(piece);
        }
        catch (Exception error)
        {
            _poison = error;
            throw;
        }
        finally
        {
            _caller.Leave();
        }
    }

    /// <summary>Inserts or replaces with a value in these pieces; without a tree the pieces are given back.</summary>
    internal void PutPieces(int? index, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> pieces)
    {
        CheckUsable();
        if (index is { } tree)
        {
            _open.Living(tree);
        }

        _caller.Enter();
        try
        {
            if (index is { } target)
            {
                _changes.PutRuns(target, key, pieces);
                return;
            }

            foreach (PlacedRun piece in pieces)
            {
                _pages.FreeRun(piece.Reference);
            }
        }
        catch (Exception error)
        {
            _poison = error;
            throw;
        }
        finally
        {
            _caller.Leave();
        }
    }

    private void CheckNoWriter()
    {
        if (_openWriters > 0)
        {
            Throw.WriterOpen(_openWriters);
        }
    }
}
