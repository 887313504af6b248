using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Platform;

namespace Voron.Storage.Transactions;

/// <content>Large values, which are in the data file before they are in a tree.</content>
internal sealed partial class TreeChanges
{
    /// <summary>A large value that the caller is writing; it is placed before anything else is done.</summary>
    private AlignedBuffer? _reserved;
    private byte[] _reservedKey = [];
    private int _reservedIndex;

    /// <summary>The value that was reserved last, for the caller to write.</summary>
    internal Span<byte> Reserved(int valueBytes) => _reserved is null ? _redo.Reserved(valueBytes) : _reserved.Span;

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
                if (!Sabotage.Is(SabotageRule.AdoptBeforeNotedPuts))
                {
                    MakeNotedPuts();
                }

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
        tree.Grew(_trees.PutRuns(tree.Root, key, runs) ? 1 : 0);
        _redo.PutPlaced(index, key, runs);
        SendFragmentIfLong();
    }

    private bool HasPlaced => _reserved is not null || _pages.Placed is { HasAny: true };

    private bool IsPlaced(int valueBytes) => valueBytes >= _pages.Placed?.LeastBytes && !_redo.IsReplay;

    private bool PutPlaced(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        MakeNotedPuts();
        PutRuns(index, key, [_pages.Placed!.Write(value)]);
        return true;
    }

    private void ReservePlaced(int index, ReadOnlySpan<byte> key, int valueBytes)
    {
        MakeNotedPuts();
        _open[index].Version++;
        _reservedIndex = index;
        _reservedKey = key.ToArray();
        _reserved = AlignedBuffer.Allocate(valueBytes);
    }

    private void PlaceReserved()
    {
        if (_reserved is { } buffer)
        {
            _reserved = null;
            using (buffer)
            {
                PutPlaced(_reservedIndex, _reservedKey, buffer.Span);
            }
        }
    }

    private void ForgetReserved()
    {
        _reserved?.Dispose();
        _reserved = null;
    }
}
