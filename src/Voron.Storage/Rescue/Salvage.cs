using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Journal;
using Voron.Storage.Versions;

namespace Voron.Storage.Rescue;

/// <summary>
/// Copies what is readable of a damaged database: its identity from a header slot or, without one, from its pages and chunks; the newest
/// complete image set that can be found; the trees over it; and the commit journal after it. The old files are not changed and not mapped:
/// what the device cannot read is a loss like others.
/// </summary>
internal sealed class Salvage(
    IDisk disk,
    string directory,
    string targetDirectory,
    StorageOptions options,
    CancellationToken cancellation,
    IProgress<SalvageProgress>? progress = null)
{
    private readonly DatabasePaths _paths = new(directory);

    internal SalvageReport Run()
    {
        using DatabaseLock sharedLock = DatabaseLock.AcquireShared(disk, _paths);
        IO.Throw.IfFailed(disk.OpenFile(_paths.DataFile, FileOpening.ReadOnly, out IDiskFile? raw), "open", _paths.DataFile);
        using IDiskFile rawFile = raw!;
        DatabaseLock.Take(rawFile, exclusive: false);
        SalvageIdentity identity = SalvageIdentity.Find(disk, _paths, rawFile);
        RefuseOccupiedTarget();
        using SalvageTarget target = new(Database.Open(disk, targetDirectory, options.ForNewDatabase(identity.PageBytes)), progress);
        if (identity.Slot is null)
        {
            target.Lose(null, default, "Both header slots are damaged; the newest complete image set was looked for instead.");
        }

        using PageBuffers buffers = new();
        MappedPages pages = new(identity.PageBytes, rawFile, buffers);
        using VersionTable versions = new(new VersionMemory(identity.PageBytes));
        JournalFiles files = new(disk, _paths.Journal, identity.DatabaseId);
        using MappedImages images = new(files, files.ListChunks(ChunkKind.Pages), maps: false);
        ImageSet? set = FindSet(files, identity, target);
        LayOver(pages, identity.PageBytes, images, set, target);
        RecordMark mark = set is null ? default : MarkOf(set.Head);
        PageSource source = new(versions, pages, identity.PageBytes);
        SalvageTrees trees = new(source, mark.TransactionId, target, cancellation);
        trees.Run();
        SalvagePending pending = new(trees.PendingSince, target);
        using SalvageJournal journal = new(files, source, target, pending, identity.MayHaveBlocks, cancellation);
        long transactions = journal.Run(
            mark, set?.Head.PendingSequence ?? 0, identity.Slot?.CommitSequence ?? 0, identity.Slot?.EndSequence ?? 0);
        target.Finish();
        return new SalvageReport([.. target.Losses], target.Trees, target.Entries, transactions);
    }

    private void RefuseOccupiedTarget()
    {
        IoError error = disk.OpenFile(new DatabasePaths(targetDirectory).DataFile, FileOpening.ReadOnly, out IDiskFile? file);
        file?.Dispose();
        if (!error.Failed)
        {
            Throw.OccupiedTarget(targetDirectory);
        }
    }

    /// <summary>
    /// Finds the complete image set with the highest number, whatever the slots say: the set is what counts, slots only locate it.
    /// </summary>
    private static ImageSet? FindSet(JournalFiles files, SalvageIdentity identity, SalvageTarget target)
    {
        ImageSetReader reader = new(files);
        ImageSet? newest = null;
        foreach ((JournalPosition place, long checkpoint) in reader.FindHeads())
        {
            if (newest is not null && newest.Head.Checkpoint >= checkpoint)
            {
                continue;
            }

            try
            {
                newest = reader.TryRead(place, checkpoint, out _) ?? newest;
            }
            catch (StorageCorruptException error)
            {
                target.Lose(null, error.Message);
            }
        }

        long expected = identity.Slot?.Checkpoint ?? 0;
        if (expected > (newest?.Head.Checkpoint ?? 0))
        {
            string found = newest is null ? "none" : $"set {newest.Head.Checkpoint}";
            string what = $"The image set of checkpoint {expected} cannot be read, {found} was taken: pages may be of other states.";
            target.Lose(null, what);
        }

        return newest;
    }

    private static void LayOver(MappedPages pages, int pageBytes, MappedImages images, ImageSet? set, SalvageTarget target)
    {
        if (set is null)
        {
            return;
        }

        foreach (ImageEntry entry in set.Images.Concat(set.Deferred))
        {
            using PageBuffers.Hold held = pages.Hold();
            bool isLaid = images.TryLocate(entry, pageBytes, out IDiskFile? chunk, out nint address)
                && pages.Overlay.TryAdd(entry, chunk, address);
            if (!isLaid && !pages.Holds(entry.PageNumber, entry.Checksum))
            {
                target.Lose(null, entry.PageNumber, $"The image of page {entry.PageNumber} in the page journal is damaged.");
            }
        }
    }

    private static RecordMark MarkOf(in ImageSetHead head) => new(
        head.TransactionId, new JournalPosition(head.CommitSequence, head.CommitOffset), head.CommitChecksum);
}
