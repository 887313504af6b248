using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Platform;

namespace Voron.Storage.Transactions;

/// <content>Large values, which are in the data file before they are in a tree.</content>
internal sealed partial class TreeChanges
{
    /// <summary>The piece of a value that was written last.</summary>
    internal PlacedRun LastPiece { get; private set; }

    /// <summary>What is done with values, or pieces, that are in the data file; the last case is that they are given back.</summary>
    private void MakePlaced(TreeChange change, int index, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
    {
        switch (change)
        {
            case TreeChange.WritePiece:
                LastPiece = _pages.Placed!.Write(first);
                break;
            case TreeChange.AdoptRuns:
                // A put noted before it may free these very pages: then an earlier transaction had a value there.
                MakeNotedPuts();

                foreach (PlacedRun run in MemoryMarshal.Cast<byte, PlacedRun>(second))
                {
                    _pages.Placed!.Adopt(run);
                }

                PutRuns(index, first, MemoryMarshal.Cast<byte, PlacedRun>(second));
                break;
            case TreeChange.PutRuns:
                PutRuns(index, first, MemoryMarshal.Cast<byte, PlacedRun>(second));
                break;
            default:
                foreach (PlacedRun run in MemoryMarshal.Cast<byte, PlacedRun>(second))
                {
                    _pages.FreeRun(run.Reference);
                }

                break;
        }
    }

    /// <summary>Puts a value that is in the data file already, or pieces of it, into a tree.</summary>
    private void PutRuns(int index, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> runs)
    {
        MakeNotedPuts();
        ref OpenTree tree = ref _open[index];
        tree.Version++;

        // Noted before it is made: the key may lie in a page that changes.
        _redo.PutPlaced(index, key, runs);
        tree.Grew(_trees.PutRuns(tree.Root, key, runs) ? 1 : 0);
        SendFragmentIfLong();
    }

    private bool HasPlaced => (HasReserved && IsPlaced(_reservedValueBytes)) || _pages.Placed is { HasAny: true };

    private bool IsPlaced(int valueBytes) => valueBytes >= _pages.Placed?.LeastBytes && !_redo.IsReplay;

    private bool PutPlaced(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        MakeNotedPuts();
        PutRuns(index, key, [_pages.Placed!.Write(value)]);
        return true;
    }
}
