using Voron.Storage.Format;

namespace Voron.Storage.Pages;

/// <content>Pages that the snapshot on disk does not reach.</content>
internal sealed partial class SpaceMap
{
    internal PagesOnDisk OnDisk { get; } = new();

    /// <summary>
    /// Whether single pages are allocated where the snapshot on disk has none, once that is known. A checkpoint writes such a page once,
    /// straight to its place, and others first to an image set. What was freed since the last checkpoint is left alone until the next one,
    /// so the file grows by it.
    /// </summary>
    internal bool KeepsOffDisk { get; set; }

    private bool TryAllocateOffDisk(out PageNumber page)
    {
        page = default;
        using (OnDisk.Gate.Hold())
        {
            if (OnDisk.Used is not { } onDisk)
            {
                return false;
            }

            int bit = -1;
            while (bit < 0)
            {
                page = layout.PageOf(OnDisk.Group, 0);
                AddGroupsTo(page);
                bit = OnDisk.FindOther(onDisk, WordsToSearch(OnDisk.Group));
            }

            page += bit;
        }

        Mark(page, 1, inUse: true);
        return true;
    }
}
