using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Pages;
using Voron.Storage.Paging;
using Voron.Storage.Platform;
using Voron.Storage.Transactions;

namespace Voron.Storage.Engine;

/// <summary>
/// Opens a database: lock, header, base, replay; then puts the parts together. What fails on the way is undone, and the files are as they were but for what recovery may
/// repeat.
/// </summary>
internal sealed class DatabaseOpening(IDisk disk, string directory, StorageOptions options)
{
    private readonly DatabasePaths _paths = new(directory);
    private readonly Stack<IDisposable> _opened = new();

    internal Database Open()
    {
        try
        {
            return OpenParts();
        }
        catch
        {
            while (_opened.TryPop(out IDisposable? part))
            {
                part.Dispose();
            }

            throw;
        }
    }

    private Database OpenParts()
    {
        if (options.CreateIfMissing)
        {
            Platform.Throw.IfFailed(disk.CreateDirectory(_paths.Directory), "create", _paths.Directory);
        }

        DatabaseLock processLock = Keep(DatabaseLock.Acquire(disk, _paths, options.CreateIfMissing));
        IDiskFile rawFile = Keep(OpenDataFile());
        DatabaseLock.Take(rawFile);
        List<HeaderSlot> slots = HeaderSlots.Read(rawFile);
        int pageBytes = (int)slots[0].PageBytes;
        if (options.PageSize is { } asked && asked != pageBytes)
        {
            Throw.PageSizeMismatch(_paths.DataFile, asked, pageBytes);
        }

        Platform.Throw.IfFailed(disk.CreateDirectory(_paths.Journal), "create", _paths.Journal);
        JournalFiles files = new(disk, _paths.Journal, new DatabaseId(slots[0].DatabaseIdLow, slots[0].DatabaseIdHigh));
        SyncEverything(rawFile, files);
        DataFile file = new(rawFile, pageBytes);
        CheckpointBase onDisk = new BaseRecovery(file, files).Recover(slots);
        return Assemble(file, files, onDisk, processLock);
    }

    private Database Assemble(DataFile file, JournalFiles files, CheckpointBase onDisk, DatabaseLock processLock)
    {
        SpaceLayout layout = new(file.PageBytes);
        VersionTable versions = Keep(new VersionTable(file.PageBytes));
        PageSource source = new(versions, file.Mapped, file.PageBytes);
        ReclaimQueue reclaim = new(versions);
        ReaderTable readers = new(source, options.TimeProvider);
        FailStop failStop = new();
        WriterLock writerLock = Keep(new WriterLock());
        CommitLine line = new(versions, reclaim, readers, failStop, writerLock);
        line.StartAt(onDisk.Mark);
        PageWriter pages = new(source, reclaim, layout, onDisk.Used.Groups);
        WriteSession session = new(pages, line, LimitsOf(file.PageBytes));
        CommitJournal commits = Keep(new Replay(files, session, line).Run(onDisk, failStop, options));
        line.Attach(commits);
        PageJournal batches = Keep(new PageJournal(files));
        DatabaseParts parts = new()
        {
            File = file,
            Source = source,
            Versions = versions,
            Reclaim = reclaim,
            Readers = readers,
            Pages = pages,
            Line = line,
            Session = session,
            Commits = commits,
            Batches = batches,
        };
        return new Database(parts, processLock, new Checkpointer(parts, onDisk), options);
    }

    private static StorageLimits LimitsOf(int pageBytes) => new(pageBytes / 4, FormatConstants.MaxNameBytes, 64L << 20);

    private IDiskFile OpenDataFile()
    {
        IoError error = disk.OpenFile(_paths.DataFile, FileOpening.None, out IDiskFile? file);
        if (error.Kind == IoErrorKind.NotFound)
        {
            if (!options.CreateIfMissing)
            {
                Throw.MissingDatabase(_paths.Directory);
            }

            DatabaseCreation.Create(disk, _paths, options.PageSize ?? FormatConstants.DefaultPageBytes);
            error = disk.OpenFile(_paths.DataFile, FileOpening.None, out file);
        }

        Platform.Throw.IfFailed(error, "open", _paths.DataFile);
        return file!;
    }

    /// <summary>A killed predecessor may have left its last writes in the cache only; what recovery exposes must be durable first.</summary>
    private void SyncEverything(IDiskFile dataFile, JournalFiles files)
    {
        Platform.Throw.IfFailed(dataFile.SyncData(), "sync", dataFile.Path);
        files.SyncAll();
        Platform.Throw.IfFailed(disk.SyncDirectory(_paths.Journal), "sync", _paths.Journal);
        Platform.Throw.IfFailed(disk.SyncDirectory(_paths.Directory), "sync", _paths.Directory);
    }

    private T Keep<T>(T part)
        where T : IDisposable
    {
        _opened.Push(part);
        return part;
    }
}
