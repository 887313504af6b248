using Voron.Storage.Format;

namespace Voron.Storage.Transactions;

/// <content>Large values, which are written to the data file before they are put into a tree.</content>
internal sealed partial class TreeChanges
{
    /// <summary>Writes a piece of a value to the data file; no tree references it yet.</summary>
    internal PlacedRun WritePiece(ReadOnlySpan<byte> piece) => _pages.Placed!.Write(piece);

    /// <summary>Like PutRuns, in replay: first claims the runs for the transaction, as they were when its record was written.</summary>
    internal void AdoptRuns(int index, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> runs)
    {
        // An earlier deferred put may free these very pages, if an earlier transaction had a value there.
        ApplyDeferred();

        foreach (PlacedRun run in runs)
        {
            _pages.Placed!.ClaimForReplay(run);
        }

        PutRuns(index, key, runs);
    }

    /// <summary>Frees pieces that no tree references.</summary>
    internal void FreeRuns(ReadOnlySpan<PlacedRun> runs)
    {
        foreach (PlacedRun run in runs)
        {
            _pages.FreeRun(run.Reference);
        }
    }

    /// <summary>Puts a value that is already in the data file, in one or more pieces, into a tree.</summary>
    internal void PutRuns(int index, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> runs)
    {
        ApplyDeferred();
        ref OpenTree tree = ref _open[index];
        tree.Version++;

        // Write the redo before the change: the key may be in a page that changes.
        _redo.PutPlaced(index, key, runs);
        tree.Grew(_trees.PutRuns(tree.Root, key, runs) ? 1 : 0);
        SendFragmentIfLong();
    }

    private bool HasPlaced => (_reserved.IsAny && IsPlaced(_reserved.Value.Length)) || _pages.Placed is { HasAny: true };

    private bool IsPlaced(int valueBytes) => valueBytes >= _pages.Placed?.LeastBytes && !_redo.IsReplay;

    private bool PutPlaced(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        ApplyDeferred();
        PutRuns(index, key, [_pages.Placed!.Write(value)]);
        return true;
    }
}
