using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Threads;
using Voron.Storage.Versions;

namespace Voron.Storage.Checkpoints;

/// <summary>
/// Releases page versions from memory once a checkpoint has them on the device, after it has verified through the map that readers will
/// see them: in the data file or, if readers block their place there, in the page journal.
/// </summary>
internal sealed class VersionRelease(DataFile file, VersionTable versions, ReclaimQueue reclaim, PageJournal imageJournal)
{
    /// <summary>
    /// Lets readers read these versions from the data file, which has them durably. Memory is freed when the readers that use it have
    /// ended.
    /// </summary>
    internal void ToFile(List<DirtyPage> pages)
    {
        // Commits wait for the gate meanwhile, each of them many times.
        const int PagesPerTurn = 16;
        for (int start = 0; start < pages.Count; start += PagesPerTurn)
        {
            int end = Math.Min(start + PagesPerTurn, pages.Count);
            EngineThread.Yield();
            for (int i = start; i < end; i++)
            {
                file.Mapped.Confirm(pages[i].Page, pages[i].CreatedBy);
            }

            using (versions.Gate.Hold())
            {
                for (int i = start; i < end; i++)
                {
                    TryMove(pages[i].Version);
                }
            }
        }
    }

    /// <summary>
    /// Replaces blocked versions by their images in the page journal, verified through the map first, so that they need no memory. If a
    /// chunk cannot be mapped, its versions stay.
    /// </summary>
    internal void ToChunks(List<DirtyPage> blocked, ReadOnlySpan<ImageEntry> entries)
    {
        int chunk = -1;
        for (int i = 0; i < entries.Length; i++)
        {
            if (i == 0 || entries[i].Sequence != entries[i - 1].Sequence)
            {
                chunk = MapChunk(entries[i].Sequence);
            }

            if (chunk >= 0)
            {
                nint image = versions.Chunks.Verified(
                    chunk, blocked[i].Page, entries[i].Offset, blocked[i].Count * file.PageBytes, entries[i].Checksum);
                using (versions.Gate.Hold())
                {
                    TryMove(blocked[i].Version, image, chunk);
                }
            }
        }
    }

    /// <summary>
    /// Makes the next transactions check all versions that wait: the checkpoint no longer holds its snapshot, so what only it kept can be
    /// freed.
    /// </summary>
    internal void CheckAllSoon()
    {
        using (versions.Gate.Hold())
        {
            reclaim.CheckAllSoon();
        }
    }

    /// <summary>Forgets which pages the checkpoint has written, because it has ended.</summary>
    internal void ForgetWritten()
    {
        using (versions.Gate.Hold())
        {
            reclaim.ForgetWritten();
        }
    }

    /// <summary>
    /// Frees all versions that waited for readers: there will be none. The caller holds the writer lock and never releases it.
    /// </summary>
    internal void LetGo()
    {
        using (versions.Gate.Hold())
        {
            reclaim.Reclaim(versions.Visible, [], 0, everything: true);
        }
    }

    /// <summary>Moves a version, or leaves it if there is no memory for that: readers that see it can use it as well.</summary>
    private void TryMove(nint version, nint image = 0, int chunk = -1)
    {
        try
        {
            if (chunk < 0)
            {
                reclaim.MoveToFile(version);
            }
            else
            {
                reclaim.MoveToChunk(version, image, chunk);
            }
        }
        catch (InsufficientMemoryException)
        {
            // The version becomes garbage soon, and its content is on the device.
        }
    }

    /// <summary>
    /// Returns the number of the mapped chunk, or −1 if the system has no room for another map. It is not mapped yet: an image set with
    /// blocked pages is the last one in its chunks.
    /// </summary>
    private int MapChunk(long sequence)
    {
        IDiskFile? opened = imageJournal.TryOpenForMap(sequence, out long bytes);
        if (opened is null || opened.Map(bytes, out nint address).Failed)
        {
            opened?.Dispose();
            return -1;
        }

        using (versions.Gate.Hold())
        {
            return versions.Chunks.Add(opened, sequence, address, bytes);
        }
    }
}
