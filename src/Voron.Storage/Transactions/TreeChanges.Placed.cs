using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.Transactions;

/// <content>Large values, which are written to the data file before they are put into a tree.</content>
internal sealed partial class TreeChanges
{
    /// <summary>The last piece of a value that was written.</summary>
    internal PlacedRun LastPiece { get; private set; }

    /// <summary>Runs the operations on values or pieces in the data file; the default case frees them.</summary>
    private void MakePlaced(TreeChange change, int index, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
    {
        switch (change)
        {
            case TreeChange.WritePiece:
                LastPiece = _pages.Placed!.Write(first);
                break;
            case TreeChange.AdoptRuns:
                // An earlier deferred put may free these very pages, if an earlier transaction had a value there.
                ApplyDeferred();

                foreach (PlacedRun run in MemoryMarshal.Cast<byte, PlacedRun>(second))
                {
                    _pages.Placed!.ClaimForReplay(run);
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

    /// <summary>Puts a value that is already in the data file, in one or more pieces, into a tree.</summary>
    private void PutRuns(int index, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> runs)
    {
        ApplyDeferred();
        ref OpenTree tree = ref _open[index];
        tree.Version++;

        // Write the redo before the change: the key may be in a page that changes.
        _redo.PutPlaced(index, key, runs);
        tree.Grew(_trees.PutRuns(tree.Root, key, runs) ? 1 : 0);
        SendFragmentIfLong();
    }

    private bool HasPlaced => (HasReserved && IsPlaced(_reservedValueBytes)) || _pages.Placed is { HasAny: true };

    private bool IsPlaced(int valueBytes) => valueBytes >= _pages.Placed?.LeastBytes && !_redo.IsReplay;

    private bool PutPlaced(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        ApplyDeferred();
        PutRuns(index, key, [_pages.Placed!.Write(value)]);
        return true;
    }
}
