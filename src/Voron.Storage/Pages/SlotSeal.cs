// Unsafe fence. Bounds: slots are those of versions that the table has.
using System.Diagnostics;
using Voron.Storage.Format;
using Voron.Storage.Threads;
using Voron.Storage.Versions;

namespace Voron.Storage.Pages;

/// <summary>A guard of the checked build.</summary>
internal static unsafe class SlotSeal
{
    /// <summary>
    /// Seals the slots of a transaction's nodes: from then on a store into them ends the process. Heaps are not sealed, because the next
    /// transaction appends to them; neither are values, whose checksum is set when a checkpoint writes them.
    /// </summary>
    [Conditional("CHECKED")]
    internal static void Set(VersionTable versions, List<PageNumber> touched, TransactionId transaction)
    {
        using (versions.Gate.Hold())
        {
            foreach (PageNumber page in touched)
            {
                PageVersion* newest = versions.Newest(page);
                if (newest != null && newest->CreatedBy == transaction && !newest->IsInChunk && !newest->IsWhole)
                {
                    VersionMemory.Seal(newest->Slots);
                }
            }
        }
    }
}
