// Unsafe fence. Bounds: as in PageWriter.cs.
using System.Diagnostics;
using Voron.Storage.Format;
using Voron.Storage.Threads;
using Voron.Storage.Versions;

namespace Voron.Storage.Pages;

/// <content>Guards of the checked build.</content>
internal sealed unsafe partial class PageWriter
{
    /// <summary>
    /// Seals the slots of the transaction's nodes: from then on a store into them ends the process. Heaps are not sealed, because the next
    /// transaction appends to them; neither are values, whose checksum is set when a checkpoint writes them.
    /// </summary>
    [Conditional("CHECKED")]
    private void SealSlots()
    {
        using (_versions.Gate.Hold())
        {
            foreach (PageNumber page in _touched)
            {
                PageVersion* newest = _versions.Newest(page);
                if (newest != null && newest->CreatedBy == TransactionId && !newest->IsInChunk && !newest->IsWhole)
                {
                    VersionMemory.Seal(newest->Slots);
                }
            }
        }
    }
}
