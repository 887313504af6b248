using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Paging;

namespace Voron.Storage.Trees;

/// <content>Values that are in the data file before their key is in the tree.</content>
internal sealed partial class TreeWriter
{
    /// <summary>Inserts or replaces with the value in these runs, or pieces of it; true when the key was new.</summary>
    internal bool PutRuns(long root, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> runs)
    {
        CheckKey(key);
        _reference[0] = runs.Length == 1 ? runs[0].Reference : ListOf(runs);
        int level = Find(root, key, out PageView leaf, out bool exists);
        PlacePayload(root, level, leaf, exists, key, MemoryMarshal.AsBytes(_reference.AsSpan()), NodeSearch.OverflowFlag);
        return !exists;
    }

    /// <summary>A run of its own, with a reference to each piece in it.</summary>
    private OverflowReference ListOf(ReadOnlySpan<PlacedRun> runs)
    {
        OverflowReference list = _pages.AllocateOverflow(
            (long)runs.Length * OverflowReference.SizeBytes, out Span<byte> content);
        Span<OverflowReference> pieces = MemoryMarshal.Cast<byte, OverflowReference>(content);
        for (int i = 0; i < runs.Length; i++)
        {
            pieces[i] = runs[i].Reference;
        }

        list.ValueBytes |= OverflowReference.ListFlag;
        return list;
    }
}
