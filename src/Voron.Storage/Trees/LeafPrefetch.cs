// Unsafe fence. Bounds: addresses are those of versions that the writer or a cursor sees, and are only prefetched.
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Pages;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>Asks the processor for the parts of leaves that the next puts, or the next steps of a scan, touch.</summary>
internal static unsafe class LeafPrefetch
{
    internal const int Steps = 3;

    /// <summary>Cache lines of slots to prefetch when a leaf is entered; the entries are prefetched with each step.</summary>
    private const int SlotLinesAhead = 6;

    /// <summary>
    /// Prefetches what a change of this leaf will touch: first its version, then its slots, then the place of the next entry. Each step
    /// depends on the data that the previous step fetched.
    /// </summary>
    internal static void Fetch(PageWriter pages, PageNumber leaf, int step)
    {
        if (step == 0)
        {
            CacheLine.Fetch(pages.Source.Versions.Head(leaf));
        }
        else if (step == 1)
        {
            new Node(pages.Read(leaf), pages.PageBytes, leaf).PrefetchSlots();
        }
        else
        {
            new Node(pages.Read(leaf), pages.PageBytes, leaf).PrefetchRoom();
        }
    }

    /// <summary>
    /// Prefetches the leaf behind that of a cursor: its slots now, its entries with each step of the cursor, from the address returned
    /// downward, without reading its header, which is not in the cache yet. Does not report a damaged page: the rows before it are sound.
    /// </summary>
    internal static byte* Next(PageSource source, TransactionId snapshot, in CursorLevel parent)
    {
        if (!CacheLine.CanFetch || parent.Index + 1 == parent.Node.Count)
        {
            return null;
        }

        try
        {
            PageView next = source.Read(parent.Node.Child(parent.Index + 1), snapshot);
            for (int line = 0; line < SlotLinesAhead; line++)
            {
                CacheLine.Fetch(next.Slots + (line * CacheLine.Bytes));
            }

            return next.Heap + source.PageBytes - CacheLine.Bytes;
        }
        catch (StorageException error) when (error.IsOfDamage)
        {
            return null;
        }
    }
}
