using Voron.Storage.Checkpoints;
using Voron.Storage.Checks;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Journal;
using Voron.Storage.Threads;
using Voron.Storage.Transactions;
using Voron.Storage.Versions;

namespace Voron.Storage.Engine;

/// <summary>An open database: begins transactions, runs checkpoints, closes. <see cref="DatabaseOpening"/> assembles its parts.</summary>
internal sealed partial class Database : IDisposable
{
    private readonly DatabaseParts _parts;
    private readonly DatabaseLock _lock;
    private readonly Checkpointer _checkpointer;
    private readonly ObservedCheckpoints _observed;
    private readonly BackPressure _pressure;
    private readonly Flusher? _flusher;
    private readonly MemorySupply? _memory;
    private readonly IdleMemory _idle;
    private readonly StorageOptions _options;
    private readonly BackgroundPace _pace;
    private readonly WriterBrake _brake;
    private readonly ReaderWatch _readerWatch;
    private readonly PendingMerge _merge;
    private readonly HardLimit _limit;
    private readonly Gate _disposeGate;
    private readonly SharedWriter _shared;
    private volatile bool _isVolatile;
    private int _state;

    internal Database(DatabaseParts parts, DatabaseLock processLock, Checkpointer checkpointer, StorageOptions options)
    {
        _parts = parts;
        _lock = processLock;
        _checkpointer = checkpointer;
        _observed = new ObservedCheckpoints(checkpointer, options);
        _options = options;
        _disposeGate = new Gate();
        _pressure = new BackPressure(options, parts.Commits, parts.Versions, () => parts.Session.Pending.UsedBytes);
        _idle = new IdleMemory(parts, _pressure, options.Engine.KeptMemoryBytes, () => _limit is { IsBlocking: true });
        _readerWatch = new ReaderWatch(parts, options);
        _brake = new WriterBrake(options.TimeProvider);
        _pace = new BackgroundPace(
            parts.Commits.Latency,
            _ => _limit is { IsAwaited: true } || _state != 0 ? 1 : _pressure.Pressure)
        {
            IsAlone = () => _limit is { IsBlocking: true } || _state != 0,
        };
        _merge = new PendingMerge(parts, _pressure, options, RunCheckpoint, _pace) { MayCommit = () => Source is null };
        _shared = new SharedWriter(BeginSharedAsync, () => parts.Pipeline.HasOuterLog);
        _memory = parts.Supply;
        parts.Session.Leaks.Leaked = id => options.Report(
            StorageEventKind.TransactionLeaked,
            $"Write transaction {id} was neither committed nor disposed and is rolled back; use 'using'.");
        if (options.Engine.Background && !options.ReadOnly)
        {
            _flusher = new Flusher(
                () => _idle.ReturnAfter(() => RunCheckpoint(_pace)),
                () => parts.Pipeline.LastSealed,
                () => _isVolatile ? parts.Pipeline.LastSealed : checkpointer.Base.TransactionId,
                error => options.Report(StorageEventKind.CheckpointFailed, error.Message, error),
                _idle,
                _merge);
            _memory ??= new MemorySupply(parts.Versions);
            parts.Pipeline.AfterCommit = OnCommit;
            parts.Session.Pending.Start.IsMemoryFull = () => _pressure.IsMemoryFull;
        }
        _limit = new HardLimit(_pressure, parts.Pipeline, _flusher, () => RunCheckpoint(_pace));
    }

    internal JournalFollower? Follower { get; init; }

    internal VersionMemory Memory => _parts.Versions.Memory;

    internal DatabaseParts Parts => _parts;

    internal StorageOptions Options => _options;

    /// <summary>Null if nothing is kept for named positions.</summary>
    internal KeptPositions? Kept { get; init; }

    /// <summary>The database whose transactions this one takes, and no others; null if it is no follower.</summary>
    internal DatabaseId? Source { get; set; }

    /// <summary>Throws why a caller cannot write here now; null if nothing but the above forbids it.</summary>
    internal Action? Refuse { get; set; }

    internal StorageLimits Limits => _parts.Session.Limits;

    /// <summary>How often the background threads of this environment were woken; null if it has none.</summary>
    internal long? WakeUps => _flusher is null ? null : _flusher.WakeUps + _memory!.WakeUps + _parts.Commits.SupplyWakeUps;

    /// <summary>Whether no background thread has anything to do.</summary>
    internal bool IsAtRest => _flusher is { IsAsleep: true };

    internal bool IsMemoryFull => _pressure.IsMemoryFull;

    internal static Database Open(
        IDisk disk, string directory, StorageOptions options, IProgress<RecoveryProgress>? progress = null,
        CancellationToken cancellation = default) => new DatabaseOpening(disk, directory, options, progress, cancellation).Open();

    /// <summary>Makes it one in memory: with no checkpoint when it is idle and none at the end, only those that free memory.</summary>
    internal Database MakeVolatile()
    {
        _isVolatile = true;
        return this;
    }

    internal void Checkpoint(bool isHasty = true)
    {
        ThrowIfDisposed();
        ThrowIfReadOnly();
        _limit.During(() => RunCheckpoint(_pace), isHasty);
    }

    /// <summary>Checks the trees, then scrubs the data file at a limited rate.</summary>
    internal CheckReport Scrub(long bytesPerSecond, IProgress<double>? progress, CancellationToken cancellationToken)
    {
        CheckReport report = Check(null, cancellationToken);
        DataFileScrub scrub = new(_parts.File, UsedOnDisk, bytesPerSecond, Confirm, cancellationToken);
        HashSet<long> known = [.. report.Findings.Select(static finding => finding.PageNumber)];
        List<CheckFinding> findings = [.. report.Findings, .. scrub.Run(progress).Where(finding => !known.Contains(finding.PageNumber))];
        if (!_options.ReadOnly)
        {
            // A read-only open has not written the images to their places.
            _checkpointer.WithCheckpointsPaused(onDisk => findings.AddRange(
                scrub.FindLostWrites(new ImageSetReader(_parts.Files).List(onDisk.ImageSet, onDisk.Checkpoint))));
        }

        return report with { Findings = findings };
    }

    internal CheckReport Check(IProgress<double>? progress, CancellationToken cancellationToken)
    {
        CheckpointBase onDisk = _checkpointer.Base;
        ReaderSlot slot = BeginRead();
        long occupant = slot.Occupant;
        try
        {
            using PageBuffers buffers = new();
            PageSource source = _parts.Source.ByPosition(buffers);
            return new SnapshotCheck(source, slot.Snapshot, onDisk.SpaceGroups).Run(progress, cancellationToken);
        }
        finally
        {
            slot.Release(occupant);
        }
    }

    public void Dispose()
    {
        using (_disposeGate.Hold())
        {
            if (Interlocked.CompareExchange(ref _state, 1, 0) == 2)
            {
                return;
            }

            WaitForTransactions();
            try
            {
                CloseCleanly();
            }
            finally
            {
                Close(isClean: !_options.ReadOnly && !_parts.Pipeline.FailStop.IsPoisoned);

                // Writers that wait for the lock wake one after another and find the environment disposed.
                _parts.Pipeline.Lock.Exit();
            }
        }
    }

    /// <summary>Ends without the closing checkpoint and without waiting, as if the process had died here.</summary>
    internal void Abandon()
    {
        _state = 1;
        _flusher?.Dispose();
        _parts.Session.Leaks.Disown();
        Close(isClean: false);
    }

    private void Close(bool isClean)
    {
        _state = 2;
        _parts.Pipeline.SignalDurable();
        _checkpointer.Close();
        _memory?.Dispose();
        Follower?.Dispose();
        _parts.CloseFiles();

        // Without a closing checkpoint versions still wait for readers, and a run of pages is memory of its own, not of the regions.
        using (_parts.Versions.Gate.Hold())
        {
            _parts.Reclaim.Reclaim(_parts.Versions.Visible, [], 0, everything: true);
        }

        _parts.Versions.Dispose();
        try
        {
            if (isClean)
            {
                _parts.Files.DeleteSpares();
            }
        }
        finally
        {
            _lock.Dispose();
        }
    }

    /// <summary>
    /// Merges what is pending, while the flusher writes; then writes all to the data file and an empty image set: the next open has nothing
    /// to do. Without room it replays.
    /// </summary>
    private void CloseCleanly()
    {
        bool hasRoom = !_options.ReadOnly && !_isVolatile;
        using (_flusher)
        {
            hasRoom = hasRoom && _observed.TryClosing(() => _merge.RunClosing(_limit.TryMakeRoom));
        }

        _parts.Pipeline.WriteSealed();
        if (hasRoom && !_parts.Pipeline.FailStop.IsPoisoned)
        {
            _observed.RunClosing();
        }
    }

    private void WaitForTransactions()
    {
        long start = _options.TimeProvider.GetTimestamp();
        bool gotWriter = _parts.Pipeline.Lock.TryEnter(_options.DisposeTimeout);
        bool isPatient = _options.DisposeTimeout == Timeout.InfiniteTimeSpan;
        int readers;
        bool isWriting;
        while (true)
        {
            // One check decides: a reader that begins after it finds the environment disposed, and ends without having read.
            readers = _parts.Readers.OpenReaders;
            isWriting = !gotWriter || _parts.Pipeline.Completing > 0;
            bool isOver = !isPatient && _options.TimeProvider.GetElapsedTime(start) >= _options.DisposeTimeout;
            if (!gotWriter || (readers == 0 && !isWriting) || isOver)
            {
                break;
            }

            EngineThread.Rest(TimeSpan.FromMilliseconds(1));
        }

        if (isWriting || readers > 0)
        {
            if (gotWriter)
            {
                _parts.Pipeline.Lock.Exit();
            }

            Volatile.Write(ref _state, 0);
            Throw.Busy(readers, isWriting, _options.DisposeTimeout);
        }
    }

    /// <summary>
    /// Checks a page again while no checkpoint runs: one that looked damaged may have been in the middle of a rewrite, or be free by now.
    /// </summary>
    private bool Confirm(PageNumber page, Func<PageNumber, bool> isDamaged)
    {
        bool confirmed = false;
        _checkpointer.WithCheckpointsPaused(
            onDisk => confirmed = UsedOf(onDisk).IsUsed(page) && !onDisk.Deferred.Covers(page) && isDamaged(page));
        return confirmed;
    }

    private void RunCheckpoint(BackgroundPace pace)
    {
        long written = _parts.Commits.BytesWritten;
        _observed.Run(pace);
        _merge.ReportDamage();
        _pressure.Checkpointed(written);
        _readerWatch.Warn();
    }

    private void OnCommit()
    {
        _memory!.AskIfWanted();
        if (_pressure.IsDue)
        {
            _flusher!.Ask();
        }
        else
        {
            _flusher!.Notice();
        }
    }

    internal void ThrowIfReadOnly()
    {
        if (_options.ReadOnly)
        {
            Throw.ReadOnly(_parts.File.Path);
        }
    }

    internal bool IsOpen => Volatile.Read(ref _state) == 0;

    internal void ThrowIfDisposed()
    {
        if (!IsOpen)
        {
            Transactions.Throw.EnvironmentDisposed();
        }
    }
}
