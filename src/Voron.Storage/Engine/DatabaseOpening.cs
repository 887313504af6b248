using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Pages;
using Voron.Storage.Paging;
using Voron.Storage.Platform;
using Voron.Storage.Transactions;

namespace Voron.Storage.Engine;

/// <summary>
/// Opens a database: lock, header, base, replay; then puts the parts together. What fails on the way is undone, and the files are as they
/// were but for what recovery may repeat.
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
        VersionTable versions = Keep(new VersionTable(file.PageBytes));
        PageSource source = new(versions, file.Mapped, file.PageBytes);
        PageBatchReader batches = new(files);
        CheckpointBase onDisk = new BaseRecovery(file, source, batches).Recover(slots);
        return Assemble(file, source, files, onDisk, batches.Chunks, processLock);
    }

    private Database Assemble(
        DataFile file,
        PageSource source,
        JournalFiles files,
        CheckpointBase onDisk,
        IReadOnlyList<Chunk> pageChunks,
        DatabaseLock processLock)
    {
        VersionTable versions = source.Versions;
        ReclaimQueue reclaim = new(versions);
        ReaderTable readers = new(source, options.TimeProvider);
        FailStop failStop = new();
        WriterLock writerLock = Keep(new WriterLock());
        CommitLine line = new(versions, reclaim, readers, failStop, writerLock);
        line.StartAt(onDisk.Mark);
        PageWriter pages = new(source, reclaim, new SpaceLayout(file.PageBytes), onDisk.Used.Groups);
        WriteSession session = new(pages, line, LimitsOf(file.PageBytes));
        JournalStart start = new Replay(files, session).Run(onDisk.Mark);
        Report(start, onDisk);
        files.DeleteSpares();
        CommitJournal commits = Keep(new CommitJournal(
            files, start, failStop, line, options.Background, BackPressure.MaxChunkBytes(options), options.TimeProvider));
        line.Attach(commits);
        if (!commits.IsUnbuffered)
        {
            options.OnEvent?.Invoke(new StorageEvent(
                StorageEventKind.UnbufferedRefused,
                $"The file system of '{_paths.Journal}' refuses unbuffered access; "
                + "the journal goes through the page cache with write-through."));
        }

        PageJournal batches = Keep(new PageJournal(files, pageChunks));
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

    private void Report(JournalStart start, CheckpointBase onDisk) => options.OnEvent?.Invoke(new StorageEvent(
        StorageEventKind.Recovered,
        $"Opened '{_paths.Directory}' at transaction {start.LastCommit.TransactionId}: "
        + $"checkpoint {onDisk.Checkpoint} holds {onDisk.TransactionId}, "
        + "the rest was replayed from the commit journal."));

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

    /// <summary>
    /// A killed predecessor may have left its last writes in the cache only; what recovery exposes must be durable first.
    /// </summary>
    private void SyncEverything(IDiskFile dataFile, JournalFiles files)
    {
        if (Sabotage.Is(SabotageRule.SkipSyncAtOpen))
        {
            return;
        }

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
