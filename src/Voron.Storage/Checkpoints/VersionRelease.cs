using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Threads;
using Voron.Storage.Versions;

namespace Voron.Storage.Checkpoints;

/// <summary>
/// Lets page versions go from memory when a checkpoint has them on the device, each time after a look through the map that readers will
/// use: into the data file, or, when readers block their place there, into the page journal.
/// </summary>
internal sealed class VersionRelease(DataFile file, VersionTable versions, ReclaimQueue reclaim, PageJournal batches)
{
    /// <summary>
    /// The file holds these versions now, durably: readers find them there, and memory lets go of them when the readers that hold them
    /// end.
    /// </summary>
    internal void ToFile(List<DirtyPage> pages)
    {
        // Commits wait for the gate meanwhile, each many times.
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
    /// What is deferred needs no memory: its image in the page journal, checked through the map first, takes the version's place. When a
    /// chunk cannot be mapped its versions stay where they are.
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
    /// The checkpoint holds its snapshot no longer: what it alone kept in memory goes with the next transaction, not when it is the turn of
    /// those that wait for readers.
    /// </summary>
    internal void CheckAllSoon()
    {
        using (versions.Gate.Hold())
        {
            reclaim.CheckAllSoon();
        }
    }

    /// <summary>What was written to its place counts no more: the checkpoint that did it has ended.</summary>
    internal void ForgetWritten()
    {
        using (versions.Gate.Hold())
        {
            reclaim.ForgetWritten();
        }
    }

    /// <summary>Nobody will read any more: versions that waited for readers go. The caller holds the writer lock for good.</summary>
    internal void LetGo()
    {
        using (versions.Gate.Hold())
        {
            reclaim.Reclaim(versions.Visible, [], 0, everything: true);
        }
    }

    /// <summary>
    /// A version that memory does not let go stays: it holds what the file, or the chunk, holds, for the readers that see it.
    /// </summary>
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
            // What needs memory here is garbage before long, and what it holds is on the device in any case.
        }
    }

    /// <summary>
    /// The number of the mapped chunk, or −1 when the system has no room for another map. It is not mapped yet: a batch with blocked
    /// pages is the last one in its chunks.
    /// </summary>
    private int MapChunk(long sequence)
    {
        IDiskFile? opened = batches.TryOpenForMap(sequence, out long bytes);
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
