using Voron.Storage.Checkpoints;
using Voron.Storage.Commits;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Journal;
using Voron.Storage.Pages;
using Voron.Storage.Recovery;
using Voron.Storage.Threads;
using Voron.Storage.Transactions;
using Voron.Storage.Versions;

namespace Voron.Storage.Engine;

/// <summary>
/// Opens a database: locks, header slots, base and replay, which only read; then, unless the open is read-only, the base is written to the
/// data file; last the parts are assembled. A failure or cancellation before that leaves the files as they were, or synced.
/// </summary>
internal sealed class DatabaseOpening(
    IDisk disk, string directory, StorageOptions options,
    IProgress<RecoveryProgress>? progress = null,
    CancellationToken cancellation = default)
{
    private readonly DatabasePaths _paths = new(directory);
    private readonly EngineSettings _settings = options.Engine;
    private readonly Stack<IDisposable> _opened = new();
    private readonly bool _writes = !options.ReadOnly;

    /// <summary>The reason why what is read may not be what the device has; null if there is none.</summary>
    private string? _cacheDoubt;

    /// <summary>The slot of an open that reads beside a writer; null for one that writes, or that excludes a writer.</summary>
    private ReaderJoin? _join;

    internal Database Open()
    {
        while (true)
        {
            Database? opened = null;
            try
            {
                opened = TryOpenParts();
                if (opened is not null)
                {
                    return opened;
                }
            }
            catch (StorageException error) when (_join is { HasMoved: true } && error is not StorageLockedException)
            {
                // What was read was in change: the writer ended or began, or has finished a checkpoint.
            }
            finally
            {
                while (opened is null && _opened.TryPop(out IDisposable? part))
                {
                    part.Dispose();
                }
            }

            _join!.Wait();
        }
    }

    /// <summary>Returns null if a writer has gone on to another checkpoint meanwhile.</summary>
    private Database? TryOpenParts()
    {
        cancellation.ThrowIfCancellationRequested();
        if (_writes && options.CreateIfMissing)
        {
            IO.Throw.IfFailed(disk.CreateDirectory(_paths.Directory), "create", _paths.Directory);
        }

        DatabaseLock processLock = Keep(_writes
            ? DatabaseLock.Acquire(disk, _paths, options.CreateIfMissing)
            : DatabaseLock.AcquireReader(disk, _paths));
        if (!_writes && processLock.Slots is { } slots)
        {
            _join = new ReaderJoin(slots, _paths.LockFile, _join, cancellation);
            _join.Begin();
        }

        IDiskFile rawFile = Keep(OpenDataFile());
        LockDataFile(rawFile, processLock.Slots);
        if (_writes)
        {
            // Before the slots are read: one that only the page cache has would be believed and left as it is on the device, while the
            // valid one is overwritten.
            _cacheDoubt = PageCache.SyncAndForget(rawFile, HeaderSlots.EndOfSlots);
        }

        List<HeaderSlot> headers = HeaderSlots.Read(disk, _paths, rawFile);
        int pageBytes = (int)headers[0].PageBytes;
        if (options.PageSize is { } asked && asked != pageBytes)
        {
            Throw.PageSizeMismatch(_paths.DataFile, asked, pageBytes);
        }

        DatabaseId id = new(headers[0].DatabaseIdLow, headers[0].DatabaseIdHigh);
        OutsideReaders outside = new(_writes ? processLock.Slots : null);
        JournalFiles files = new(disk, _paths.Journal, id) { AreReadOutside = () => outside.Any };
        if (_writes)
        {
            IO.Throw.IfFailed(disk.CreateDirectory(_paths.Journal), "create", _paths.Journal);
        }

        processLock.HoldJournal();
        if (_writes)
        {
            BelieveDevice(rawFile, headers[0], files);
        }

        FailStop failStop = new();
        long memoryBytes = _settings.MemoryBytes ?? GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;
        DataFile file = new(rawFile, pageBytes, failStop, memoryBytes) { SpareRoom = files.SpareRoom };
        VersionTable versions = Keep(new VersionTable(MakeMemory(file.PageBytes, files.SpareRoom)));
        PageSource source = new(versions, file.Mapped, file.PageBytes);
        ImageSetReader sets = new(files);
        MappedImages images = Keep(new MappedImages(files, sets.Chunks));
        BaseRecovery recovery = new(file, source, sets, images) { TrustsPlaces = _join is not null };
        HeaderWriter header = new(file, headers[0]);
        CheckpointBase onDisk = recovery.Find(headers);
        return _join is not null && !_join.TryConfirm(onDisk.Checkpoint)
            ? null
            : Recover(file, header, source, files, images, recovery, onDisk, processLock, outside, failStop);
    }

    /// <summary>
    /// Locks the data file, against one that opens it by another name. A registered reader only looks for such a writer: it excludes none.
    /// </summary>
    private void LockDataFile(IDiskFile file, ProcessSlots? slots)
    {
        if (_join is null)
        {
            DatabaseLock.Take(file, exclusive: _writes);
        }
        else if (file.IsSlotLocked(0) && !slots!.HasWriter)
        {
            Throw.Locked(file.Path, file.FindLockHolder());
        }
    }

    /// <summary>
    /// Makes the memory for page versions, with spill files beyond its budget; without them if nothing may be written, or if files are
    /// memory too.
    /// </summary>
    private VersionMemory MakeMemory(int pageBytes, SpareRoom spareRoom) => new(
        pageBytes,
        LimitRules.MaxDirtyBytesOf(options),
        _writes && disk is not MemoryDisk ? new SpillFiles(disk, _paths.Spill, spareRoom) : null);

    private Database Recover(
        DataFile file,
        HeaderWriter header,
        PageSource source,
        JournalFiles files,
        MappedImages images,
        BaseRecovery recovery,
        CheckpointBase onDisk,
        DatabaseLock processLock,
        OutsideReaders outside,
        FailStop failStop)
    {
        VersionTable versions = source.Versions;
        ReclaimQueue reclaim = new(versions);
        ReaderTable readers = new(source, options.TimeProvider);
        WriterLock writerLock = new(options.TimeProvider);
        CommitPipeline pipeline = new(versions, reclaim, readers, failStop, writerLock);
        pipeline.StartAt(onDisk.Mark);
        pipeline.Pending = source.Pending;
        PageWriter pages = new(source, reclaim, new SpaceLayout(file.PageBytes), recovery.Groups) { MostMarkers = _settings.FreedMarkers };
        PlacedRuns placed = new(file, pages, failStop, outside, () => pipeline.LastDurable, _settings.PlacedValueBytes)
        {
            BeforeWrite = header.BeginPlacing,
        };
        pages.Placed = placed;
        int fragmentBytes = BackPressure.FragmentBytesOf(options);
        WriteSession session = new(pages, pipeline, LimitsOf(file.PageBytes), fragmentBytes, BackPressure.PendingLimitsOf(options))
        {
            JournalledBytes = Math.Min(_settings.JournalledBytes, fragmentBytes), ValuePieceBytes = _settings.ValuePieceBytes,
        };
        session.Trees.Prepare(header.Use, _settings.WriteOptimizesAll);
        session.Redo.Times = new CommitTimes(options.TimeProvider, header.Use, header.Features);
        MemorySupply? supply = _settings.Background && _writes ? Keep(new MemorySupply(versions)) : null;
        using MemorySupply? forReplay = _settings.Background && !_writes ? new MemorySupply(versions) : null;
        Replay replay = new(files, session, placed, supply ?? forReplay);
        KeptPositions.Prepare(options, files, placed, onDisk.TransactionId);
        JournalStart start = replay.Run(onDisk, _join?.Last ?? TransactionId.AfterAll, progress, cancellation);
        CommitJournal commits = Keep(new CommitJournal(
            files, start, failStop, pipeline, _settings.Background && _writes, BackPressure.MaxChunkBytes(options), options.TimeProvider,
            options.LazyWindow, options.Observer));
        pipeline.Attach(commits);
        session.Pending.CurrentChunk = () => commits.Chunks.Current?.Chunk.Sequence ?? start.LastPosition.Sequence;
        DatabaseParts parts = new()
        {
            Files = files,
            File = file,
            Header = header,
            Images = images,
            Source = source,
            Versions = versions,
            Reclaim = reclaim, Readers = readers,
            Pages = pages,
            Placed = placed,
            Outside = outside,
            Pipeline = pipeline,
            Session = session,
            Commits = commits,
            ImageJournal = Keep(new PageJournal(files, images.Chunks)),
            Supply = supply,
        };
        if (_writes)
        {
            WaitForOutside(outside, onDisk.Checkpoint);
            onDisk = Settle(parts, recovery, onDisk, start);
            AdmitOutside(outside, pipeline, onDisk.Checkpoint);
        }

        Report(recovery, replay, onDisk, start);
        return MakeDatabase(parts, onDisk, processLock, start.LastCommit);
    }

    private Database MakeDatabase(DatabaseParts parts, CheckpointBase onDisk, DatabaseLock processLock, RecordMark last)
    {
        // Whatever may fail comes before the database, which starts threads.
        Checkpointer checkpointer = new(parts, onDisk) { ReportKept = ReportKept };
        KeptPositions? kept = KeptPositions.Load(parts, checkpointer, options);
        DatabaseId? source = FollowerMark.Read(disk, _paths);
        JournalFollower? follower = _join is null ? null : new JournalFollower(parts, processLock.Slots!, onDisk, last);
        return new Database(parts, processLock, checkpointer, options) { Follower = follower, Kept = kept, Source = source };
    }

    private static void AdmitOutside(OutsideReaders outside, CommitPipeline pipeline, long checkpoint)
    {
        outside.PublishDurable(pipeline.LastDurable);
        pipeline.DurableChanged = outside.PublishDurable;
        outside.Admit(checkpoint);
    }

    /// <summary>
    /// Before the first write: lets no reader register from here on. Those of this checkpoint have the images that are written now in
    /// place of the file's content; one of an earlier checkpoint may read that content, so it must have gone on.
    /// </summary>
    private void WaitForOutside(OutsideReaders outside, long checkpoint)
    {
        TimeSpan patience = _settings.ReaderPatience;
        long start = Environment.TickCount64;
        while (true)
        {
            outside.Refuse(checkpoint, _paths.LockFile);
            int reader = outside.FindStranger(checkpoint);
            if (reader == 0)
            {
                return;
            }

            outside.AdmitWhileOpening(checkpoint);
            cancellation.ThrowIfCancellationRequested();
            if (Environment.TickCount64 - start >= patience.TotalMilliseconds)
            {
                Throw.HeldByReader(_paths.LockFile, reader, patience);
            }

            EngineThread.Rest(TimeSpan.FromMilliseconds(5));
        }
    }

    /// <summary>
    /// Makes the first writes of an open. Everything that recovery needs has been read and verified, and the open is not abandoned any
    /// more. Nothing is deleted before the header is durable, except in a new database, where nothing is needed. Returns the base as the
    /// slot names it now.
    /// </summary>
    private CheckpointBase Settle(DatabaseParts parts, BaseRecovery recovery, CheckpointBase onDisk, JournalStart start)
    {
        bool isNew = start.Chunks.Count == 0 && onDisk.Mark.Position == JournalPosition.None;
        if (isNew)
        {
            // Before the first chunk is created: with it the next one is begun in the background, under the name of a spare.
            ReportKept(parts.Files.DeleteSpares());
        }

        CheckpointBase settled = onDisk with
        {
            CommitSequence = isNew
                ? parts.Commits.Chunks.PrepareFirst()
                : start.Chunks.Count == 0 ? 0 : start.Chunks[^1].Sequence,
        };
        recovery.Settle(settled, parts.Header);
        if (!isNew)
        {
            ReportKept(parts.Files.DeleteSpares());
            parts.Commits.Chunks.Prepare();
        }

        WarnOfBuffering();
        if (_cacheDoubt is not null)
        {
            options.Report(
                StorageEventKind.DurabilityDoubtful,
                $"What this open has read of '{_paths.Directory}' may not survive a power failure: {_cacheDoubt}. End that process, "
                + "such as a backup or a scanner, and open the database again.");
        }

        if (options.HasListener() && (disk.FindDoubt(_paths.DataFile) ?? disk.FindDoubt(_paths.Journal)) is { } doubt)
        {
            options.Report(
                StorageEventKind.DurabilityDoubtful,
                $"Commits to '{_paths.Directory}' may not survive a power failure: {doubt}. Move it to a local disk.");
        }

        return settled;
    }

    private void ReportKept(StorageException? refusal)
    {
        if (refusal is not null)
        {
            options.Report(
                StorageEventKind.FileNotRemoved,
                $"A journal file that is not needed stays until the next checkpoint: {refusal.Message}",
                refusal);
        }
    }

    private void WarnOfBuffering()
    {
        if (!options.HasListener())
        {
            return;
        }

        IoError error = disk.OpenFile(_paths.DataFile, FileOpening.ReadOnly | FileOpening.Unbuffered, out IDiskFile? file);
        using (file)
        {
            if (!error.Failed && !file!.IsUnbuffered)
            {
                options.Report(
                    StorageEventKind.UnbufferedRefused,
                    $"Commits are slower: the file system of '{_paths.Directory}' refuses unbuffered access.");
            }
        }
    }

    /// <summary>Reports what was recovered in one short line: beside the first two figures it names only what there was.</summary>
    private void Report(BaseRecovery recovery, Replay replay, CheckpointBase onDisk, JournalStart start)
    {
        string mode = _writes ? string.Empty : " read-only";
        string lostSlot = recovery.IsNewerThanSlot ? $", checkpoint {onDisk.Checkpoint} found without its header slot" : string.Empty;
        string images = recovery.ImageCount == 0 ? string.Empty : $", {recovery.ImageCount} page images applied";
        string unreadable = replay.IsTailUnreadable ? ", which cannot be read by the device," : string.Empty;
        string torn = replay.TornAt == JournalPosition.None ? string.Empty : $", unfinished write at {replay.TornAt}{unreadable} dropped";
        options.Report(
            StorageEventKind.Recovered,
            $"Opened '{_paths.Directory}'{mode} at transaction {start.LastCommit.TransactionId}, {replay.Transactions} transactions "
            + $"replayed{lostSlot}{images}{torn}.");
    }

    private static StorageLimits LimitsOf(int pageBytes) => new(pageBytes / 4, FormatConstants.MaxNameBytes, FormatConstants.MaxValueBytes);

    private IDiskFile OpenDataFile()
    {
        IoError error = disk.OpenFile(_paths.DataFile, _writes ? FileOpening.None : FileOpening.ReadOnly, out IDiskFile? file);
        if (error.Kind == IoErrorKind.NotFound)
        {
            if (!_writes || !options.CreateIfMissing)
            {
                Throw.MissingDatabase(_paths.Directory);
            }

            DatabaseCreation.Create(disk, _paths, options.PageSize ?? FormatConstants.DefaultPageBytes);
            error = disk.OpenFile(_paths.DataFile, FileOpening.None, out file);
        }

        IO.Throw.IfFailed(error, "open", _paths.DataFile);
        return file!;
    }

    /// <summary>
    /// Makes all that recovery reads durable, since a killed predecessor may have left its last writes in the cache, and reads it as the
    /// device has it: after a failed write the cache keeps showing what the device does not have, the next sync succeeds, and on ext4 even
    /// a second write of the same bytes may not make them part of the file. A data file at rest had no failed write, so its cache is kept.
    /// </summary>
    private void BelieveDevice(IDiskFile dataFile, HeaderSlot newest, JournalFiles files)
    {
        if (newest.IsAtRest == 0)
        {
            _cacheDoubt = PageCache.SyncAndForget(dataFile) ?? _cacheDoubt;
        }

        _cacheDoubt = files.SyncAll() ?? _cacheDoubt;
        IO.Throw.IfFailed(disk.SyncDirectory(_paths.Journal), "sync", _paths.Journal);
        IO.Throw.IfFailed(disk.SyncDirectory(_paths.Directory), "sync", _paths.Directory);
    }

    private T Keep<T>(T part)
        where T : IDisposable
    {
        _opened.Push(part);
        return part;
    }
}
