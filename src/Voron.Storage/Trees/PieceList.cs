using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Pages;

namespace Voron.Storage.Trees;

/// <summary>The list of the pieces of a value that is stored in several runs.</summary>
internal static class PieceList
{
    /// <summary>Allocates an overflow run that lists a reference to each piece.</summary>
    internal static OverflowReference Of(PageWriter pages, ReadOnlySpan<PlacedRun> runs)
    {
        OverflowReference list = Allocate(pages, runs.Length, out Span<OverflowReference> pieces);
        for (int i = 0; i < runs.Length; i++)
        {
            pieces[i] = runs[i].Reference;
        }

        return list;
    }

    /// <summary>Allocates one that lists these references.</summary>
    internal static OverflowReference Of(PageWriter pages, ReadOnlySpan<OverflowReference> runs)
    {
        OverflowReference list = Allocate(pages, runs.Length, out Span<OverflowReference> pieces);
        runs.CopyTo(pieces);
        return list;
    }

    private static OverflowReference Allocate(PageWriter pages, int count, out Span<OverflowReference> pieces)
    {
        OverflowReference list = pages.AllocateOverflow((long)count * OverflowReference.SizeBytes, out Span<byte> content);
        pieces = MemoryMarshal.Cast<byte, OverflowReference>(content);
        list.ValueBytes |= OverflowReference.ListFlag;
        return list;
    }
}
