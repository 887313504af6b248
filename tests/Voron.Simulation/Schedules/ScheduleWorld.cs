using Voron.Simulation.Crashes;
using Voron.Simulation.Engine;
using Voron.Storage;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Threads;
using Voron.Storage.Transactions;
using Voron.Storage.Versions;

namespace Voron.Simulation.Schedules;

/// <summary>
/// Plays a program on the real engine under a scheduler, and keeps what was promised and seen. Its own fields need no lock, for one thread
/// runs at a time, and no other can between a call's return and what is noted of it.
/// </summary>
internal sealed partial class ScheduleWorld(ScheduleProgram program, SimDisk disk, Model model, TokenScheduler scheduler)
{
    private StorageEnvironment? _environment;
    private long _leastAfterCut = model.LastTransaction;
    private long _leastAfterKill = model.LastTransaction;
    private readonly List<WorkloadChange> _sharedChanges = [];

    /// <summary>Lazy transactions: who sees one knows nothing of what a crash leaves of it.</summary>
    private readonly HashSet<long> _lazy = [];
    private long _leastSeen = model.LastTransaction;
    private bool _isDisposing;
    private bool _isClosed;

    /// <summary>Follows from the transactions that were begun, in their order.</summary>
    internal Hash128 History { get; private set; }

    internal CrashBounds Bounds => new(_leastAfterCut, _leastAfterKill, model.LastTransaction);

    /// <summary>The first thread: opens, lets the others work, and closes.</summary>
    internal void Main()
    {
        _environment = StorageEnvironment.Open("/db", new StorageOptions
        {
            Engine = new()
            {
                Disk = new ScheduledDisk(disk, scheduler, NoteClosed), Background = program.HasBackground,
                PlacedValueBytes = program.PlacedValueBytes, JournalledBytes = 0, PendingBytes = program.PendingBytes,
            },
            TimeProvider = FrozenTime.Instance, DisposeTimeout = Timeout.InfiniteTimeSpan, JournalSoftLimitBytes = 64 << 10,
            JournalHardLimitBytes = 96 << 10, MaxDirtyBytes = ScheduleCuts.MaxDirtyBytes, OnEvent = Note,
        });
        if (program.Fault is { } fault)
        {
            disk.Faults.Add(fault.ToFault());
        }

        List<Action> joins = [];
        for (int i = 0; i < program.Threads.Count; i++)
        {
            IReadOnlyList<ScheduleStep> steps = program.Threads[i];
            joins.Add(scheduler.Start($"thread {i + 1}", () => Work(steps)));
        }

        if (program.IsDisposedBeside)
        {
            scheduler.Pass(SchedulingPoint.Caller);
            Dispose();
        }

        joins.ForEach(static join => join());
        if (!program.IsDisposedBeside)
        {
            Check();
            Dispose();
        }
    }

    /// <summary>Whether the run ended with a clean close, so that nothing at all may be missing.</summary>
    internal bool IsClosedCleanly { get; private set; }

    private void Dispose()
    {
        _isDisposing = true;
        try
        {
            _environment!.Dispose();
            IsClosedCleanly = program.Fault is null;
        }
        catch (StorageException error) when (program.Fault is not null && error is not StorageBusyException)
        {
            // The fault struck the closing checkpoint: the files are closed, and recovery does the rest.
        }
    }

    private void NoteClosed(string path) => _isClosed |= _isDisposing && path == EngineSubject.DataFile;

    private void Note(StorageEvent happened)
    {
        if (happened.Kind == StorageEventKind.CheckpointFailed && program.Fault is null)
        {
            scheduler.Fail(ScheduleCuts.Failure("O1", "a checkpoint in the background", happened.Message, happened.Error!));
        }
    }

    private void Work(IReadOnlyList<ScheduleStep> steps)
    {
        List<(long Id, ValueTask Commit)> pending = [];
        try
        {
            foreach (ScheduleStep step in steps)
            {
                scheduler.Pass(SchedulingPoint.Caller);
                if (step.Verb is not (ScheduleVerb.Async or ScheduleVerb.AsyncMoved))
                {
                    Settle(pending);
                }

                if (step.Verb == ScheduleVerb.Read)
                {
                    Read(step.Times);
                }
                else
                {
                    DoOrFail(() => Do(step, pending));
                }
            }
        }
        catch (ObjectDisposedException error) when (program.IsDisposedBeside && error.ObjectName == nameof(StorageEnvironment))
        {
            // Disposed before this step began. A commit that was sealed must not come here: see End.
        }

        Settle(pending);
    }

    /// <summary>Each is asked for its result once, by the thread that began it.</summary>
    private static void Keep(List<(long Id, ValueTask Commit)> pending, long id, ValueTask commit) => pending.Add((id, commit));

    /// <summary>Waits for the outcome of asynchronous commits.</summary>
    private void Settle(List<(long Id, ValueTask Commit)> pending)
    {
        foreach ((long id, ValueTask commit) in pending)
        {
            DoOrFail(() =>
            {
                while (!commit.IsCompleted)
                {
                    EngineThread.Rest(TimeSpan.FromMilliseconds(1));
                }

                End(id, ScheduleVerb.Async, () => commit.GetAwaiter().GetResult());
            });
        }

        pending.Clear();
    }

    /// <summary>Commits and checkpoints may be refused from the fault on; reads may not, and do not come here.</summary>
    private void DoOrFail(Action action)
    {
        try
        {
            action();
        }
        catch (StorageException) when (program.Fault is not null)
        {
            // Refused.
        }
    }

    private void Do(ScheduleStep step, List<(long Id, ValueTask Commit)> pending)
    {
        switch (step.Verb)
        {
            case ScheduleVerb.Checkpoint:
                long committed = _leastAfterKill;
                _environment!.Checkpoint();
                _leastAfterCut = Math.Max(_leastAfterCut, committed);
                break;
            case ScheduleVerb.Report:
                _ = _environment!.GetReport();
                break;
            case ScheduleVerb.Share or ScheduleVerb.ShareAndFail:
                Share(step);
                break;
            default:
                Write(step, pending);
                break;
        }
    }

    /// <summary>Several steps may run in one transaction: the model's last one grows then.</summary>
    private void Share(ScheduleStep step)
    {
        WorkloadChange[] changes = [.. step.Puts.Select(ScheduleRows.Change)];
        long id = 0;
        ValueTask write = _environment!.WriteAsync(transaction =>
        {
            bool changed = ScheduleTrees.Apply(transaction, changes, scheduler);
            if (step.Verb == ScheduleVerb.ShareAndFail)
            {
                throw new InvalidTimeZoneException("meant to fail");
            }

            if (changed)
            {
                id = transaction.TransactionId;
                NoteShared(id, changes);
                NoteHistory(step);
            }
        });
        while (!write.IsCompleted)
        {
            scheduler.Sleep(write, SchedulingPoint.Caller, TimeSpan.FromMilliseconds(1));
        }

        try
        {
            write.GetAwaiter().GetResult();
            Require(step.Verb == ScheduleVerb.Share, "O2", "an action that threw was told that it is committed");
            Committed(id, ScheduleVerb.Durable);
        }
        catch (InvalidTimeZoneException) when (step.Verb == ScheduleVerb.ShareAndFail)
        {
            // As meant; that nothing of it is left shows in what readers see.
        }
    }

    private void NoteHistory(ScheduleStep step)
    {
        foreach (SchedulePut put in step.Puts)
        {
            History = History.Then((ulong)put.Key).Then((ulong)put.Bytes).Then((ulong)put.Seed);
        }
    }

    private void NoteShared(long id, WorkloadChange[] changes)
    {
        if (model.LastTransaction == id)
        {
            model.TakeBackLast();
        }
        else
        {
            _sharedChanges.Clear();
        }

        _sharedChanges.AddRange(changes);
        long started = model.Start(new WorkloadTransaction([.. _sharedChanges]));
        Require(started == id, "O2", $"a shared transaction has the id {id} where {started} is the next");
    }

    private void Write(ScheduleStep step, List<(long Id, ValueTask Commit)> pending)
    {
        bool moves = step.Verb is ScheduleVerb.UndoMoved or ScheduleVerb.RollbackMoved or ScheduleVerb.AsyncMoved;
        step = step with { Verb = Unmoved(step.Verb) };
        WorkloadChange[] changes = [.. step.Puts.Select(ScheduleRows.Change)];
        int kept = step.Verb == ScheduleVerb.Undo ? changes.Length / 2 : changes.Length;
        var transaction = new WorkloadTransaction([.. changes.Take(kept)]);
        using WriteTransaction write = step.Verb == ScheduleVerb.BeginAsync ? BeginAsync() : _environment!.BeginWrite();
        bool changed = ScheduleTrees.Apply(write, transaction.Changes, scheduler);
        if (step.Verb == ScheduleVerb.Undo && changed)
        {
            Savepoint savepoint = write.CreateSavepoint();
            ScheduleTrees.Apply(write, [.. changes.Skip(kept)], scheduler);
            PassBeforeEnd(write, moves);
            write.RollbackTo(savepoint);
        }

        if (!changed || step.Verb == ScheduleVerb.Rollback)
        {
            PassBeforeEnd(write, moves);
            return;
        }

        if (step.Verb == ScheduleVerb.Async)
        {
            PassBeforeEnd(write, moves);
        }

        long id = model.Start(transaction);
        NoteHistory(step);
        if (step.Verb is ScheduleVerb.Lazy or ScheduleVerb.Undo)
        {
            _lazy.Add(id);
        }

        Require(write.TransactionId == id, "O2", $"transaction {write.TransactionId} begins where {id} is the next");
        if (step.Verb == ScheduleVerb.Async)
        {
            Keep(pending, id, write.CommitAsync());
            return;
        }

        End(id, step.Verb, () => write.Commit(step.Verb switch
        {
            ScheduleVerb.Buffered => CommitMode.Buffered,
            ScheduleVerb.Lazy or ScheduleVerb.Undo => CommitMode.Lazy,
            _ => CommitMode.Durable,
        }));
    }

    /// <summary>The end of a commit that was sealed: it succeeds or says why not.</summary>
    private void End(long id, ScheduleVerb verb, Action commit)
    {
        try
        {
            commit();
        }
        catch (ObjectDisposedException error)
        {
            throw ScheduleCuts.Failure("O2", $"the commit of transaction {id} ended in the dark", "the environment was disposed", error);
        }

        Committed(id, verb);
    }

    private void Committed(long id, ScheduleVerb verb)
    {
        if (verb is ScheduleVerb.Lazy or ScheduleVerb.Undo)
        {
            return;
        }

        _leastSeen = Math.Max(_leastSeen, id);
        _leastAfterKill = Math.Max(_leastAfterKill, id);
        _leastAfterCut = verb == ScheduleVerb.Buffered ? _leastAfterCut : Math.Max(_leastAfterCut, id);
    }

    private WriteTransaction BeginAsync()
    {
        using PumpedContext context = new(scheduler);
        ValueTask<WriteHandle?> begin = _environment!.Database.BeginWriteAsync(Timeout.InfiniteTimeSpan, CancellationToken.None);
        while (!begin.IsCompleted)
        {
            context.Pump();
        }

        return new WriteTransaction(begin.GetAwaiter().GetResult()!);
    }

    private void Read(int times)
    {
        long committed = _leastSeen;
        using ReadTransaction read = _environment!.BeginRead();
        long seen = read.TransactionId;
        Require(seen >= committed, "O2", $"a reader begins at transaction {seen} after {committed} was committed");
        Require(seen <= model.LastTransaction, "O2", $"a reader sees transaction {seen}, started were {model.LastTransaction}");
        _leastSeen = Math.Max(_leastSeen, seen);
        long written = seen;
        while (_lazy.Contains(written))
        {
            written--;
        }

        _leastAfterKill = Math.Max(_leastAfterKill, written);
        _leastAfterCut = program.IsStrict ? Math.Max(_leastAfterCut, seen) : _leastAfterCut;
        for (int i = 0; i < times; i++)
        {
            PassInReader();
            List<(byte[] Key, byte[] Value)> rows = ScheduleTrees.Read(read, PassInReader);
            string? difference = CrashRun.Difference(
                model.At(seen), visitor => rows.ForEach(row => visitor(row.Key, row.Value)));
            Require(difference is null, "O3", $"the reader of transaction {seen}, look {i + 1}: {difference}");
        }
    }

    /// <summary>Others may run; what a reader that was begun looks at must be there for it until its end.</summary>
    private void PassInReader()
    {
        scheduler.Pass(SchedulingPoint.Caller);
        Require(!_isClosed, "O2", "the environment closed its files under a reader");
    }

    private void Check()
    {
        CheckReport report = _environment!.Check();
        Require(report.IsClean, "O4", string.Join("; ", report.Findings.Take(4)));
        Read(1);
        if (program.ExploresChains && program.Fault is null)
        {
            RequireNothingRetained();
        }
    }

    private static void Require(bool holds, string oracle, string what)
    {
        if (!holds)
        {
            throw new CrashFailureException($"{oracle}: {what}") { Oracle = oracle };
        }
    }
}
