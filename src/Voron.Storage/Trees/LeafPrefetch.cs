// Unsafe fence. Bounds: addresses are those of versions that the writer sees, and are only prefetched.
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Pages;

namespace Voron.Storage.Trees;

/// <summary>Asks the processor for the parts of leaves that the next puts touch.</summary>
internal static unsafe class LeafPrefetch
{
    internal const int Steps = 3;

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
}
