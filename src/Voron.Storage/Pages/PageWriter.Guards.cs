// Unsafe fence. Bounds: as in PageWriter.cs.
using System.Diagnostics;
using Voron.Storage.Paging;

namespace Voron.Storage.Pages;

/// <content>What the checked build adds.</content>
internal sealed unsafe partial class PageWriter
{
    /// <summary>
    /// What the transaction made is final: from here on a store into the slots of its nodes ends the process. Heaps are not sealed, for
    /// the next transaction appends to them; neither are values, whose checksum is set when a checkpoint takes them.
    /// </summary>
    [Conditional("CHECKED")]
    private void SealSlots()
    {
        using (_versions.Gate.Hold())
        {
            foreach (long page in _touched)
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
