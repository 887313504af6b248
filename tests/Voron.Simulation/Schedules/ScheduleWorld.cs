using Voron.Simulation.Crashes;
using Voron.Simulation.Engine;
using Voron.Storage;

namespace Voron.Simulation.Schedules;

/// <summary>
/// Plays a program on the real engine under a scheduler, and keeps what was promised and seen. Its own fields need no lock, for one thread
/// runs at a time, and no other can between a call's return and what is noted of it.
/// </summary>
internal sealed class ScheduleWorld(ScheduleProgram program, SimDisk disk, Model model, TokenScheduler scheduler)
{
    private StorageEnvironment? _environment;
    private long _leastAfterCut = model.LastTransaction;
    private long _leastAfterKill = model.LastTransaction;

    internal CrashBounds Bounds => new(_leastAfterCut, _leastAfterKill, model.LastTransaction);

    /// <summary>The first thread: opens, lets the others work, and closes.</summary>
    internal void Main()
    {
        _environment = StorageEnvironment.Open("/db", new StorageOptions
        {
            Storage = new ScheduledDisk(disk, scheduler), Turns = scheduler, TimeProvider = FrozenTime.Instance,
            Background = program.Kind is ScheduleKind.Background or ScheduleKind.Close,
            DisposeTimeout = Timeout.InfiniteTimeSpan, JournalSoftLimitBytes = 64 << 10, JournalHardLimitBytes = 96 << 10,
            MaxDirtyBytes = 1 << 20, OnEvent = Note,
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

        if (program.Kind == ScheduleKind.Close)
        {
            scheduler.Pass(TurnPoint.Caller);
            Dispose();
        }

        joins.ForEach(static join => join());
        if (program.Kind != ScheduleKind.Close)
        {
            Check();
            Dispose();
        }
    }

    /// <summary>Whether the run ended with a clean close, so that nothing at all may be missing.</summary>
    internal bool IsClosedCleanly { get; private set; }

    private void Dispose()
    {
        try
        {
            _environment!.Dispose();
            IsClosedCleanly = program.Fault is null;
        }
        catch (StorageException) when (program.Fault is not null)
        {
            // The fault struck the closing checkpoint: the files are closed, and recovery does the rest.
        }
    }

    private void Note(StorageEvent happened)
    {
        if (happened.Kind == StorageEventKind.CheckpointFailed && program.Fault is null)
        {
            scheduler.Fail(ScheduleCuts.Failure("O1", "a checkpoint in the background", happened.Message, happened.Error!));
        }
    }

    private void Work(IReadOnlyList<ScheduleStep> steps)
    {
        try
        {
            foreach (ScheduleStep step in steps)
            {
                scheduler.Pass(TurnPoint.Caller);
                DoOrFail(step);
            }
        }
        catch (ObjectDisposedException error) when (program.Kind == ScheduleKind.Close && error.ObjectName == nameof(StorageEnvironment))
        {
            // Disposed before this step began. A commit that was sealed must not come here: see Write.
        }
    }

    private void DoOrFail(ScheduleStep step)
    {
        try
        {
            Do(step);
        }
        catch (StorageException) when (program.Fault is not null && step.Verb != ScheduleVerb.Read)
        {
            // Commits and checkpoints may be refused from the fault on. Reads may not.
        }
    }

    private void Do(ScheduleStep step)
    {
        switch (step.Verb)
        {
            case ScheduleVerb.Read:
                Read(step.Times);
                break;
            case ScheduleVerb.Checkpoint:
                long committed = _leastAfterKill;
                _environment!.Checkpoint();
                _leastAfterCut = Math.Max(_leastAfterCut, committed);
                break;
            case ScheduleVerb.Report:
                _ = _environment!.GetReport();
                break;
            default:
                Write(step);
                break;
        }
    }

    private void Write(ScheduleStep step)
    {
        var transaction = new WorkloadTransaction([.. step.Puts.Select(ScheduleRows.Change)]);
        using WriteTransaction write = _environment!.BeginWrite();
        if (!ScheduleTrees.Apply(write, transaction.Changes, scheduler) || step.Verb == ScheduleVerb.Rollback)
        {
            return;
        }

        long id = model.Start(transaction);
        Require(write.TransactionId == id, "O2", $"transaction {write.TransactionId} begins where {id} is the next");
        try
        {
            write.Commit(step.Verb == ScheduleVerb.Durable ? CommitMode.Durable : CommitMode.Buffered);
        }
        catch (ObjectDisposedException error)
        {
            throw ScheduleCuts.Failure("O2", $"the commit of transaction {id} ended in the dark", "the environment was disposed", error);
        }

        _leastAfterKill = Math.Max(_leastAfterKill, id);
        _leastAfterCut = step.Verb == ScheduleVerb.Durable ? Math.Max(_leastAfterCut, id) : _leastAfterCut;
    }

    private void Read(int times)
    {
        long committed = _leastAfterKill;
        using ReadTransaction read = _environment!.BeginRead();
        long seen = read.TransactionId;
        Require(seen >= committed, "O2", $"a reader begins at transaction {seen} after {committed} was committed");
        Require(seen <= model.LastTransaction, "O2", $"a reader sees transaction {seen}, started were {model.LastTransaction}");
        _leastAfterKill = Math.Max(_leastAfterKill, seen);
        _leastAfterCut = program.IsStrict ? Math.Max(_leastAfterCut, seen) : _leastAfterCut;
        for (int i = 0; i < times; i++)
        {
            scheduler.Pass(TurnPoint.Caller);
            List<(byte[] Key, byte[] Value)> rows = ScheduleTrees.Read(read, scheduler);
            string? difference = CrashRun.Difference(
                model.At(seen), visitor => rows.ForEach(row => visitor(row.Key, row.Value)));
            Require(difference is null, "O3", $"the reader of transaction {seen}, look {i + 1}: {difference}");
        }
    }

    private void Check()
    {
        CheckReport report = _environment!.Check();
        Require(report.IsClean, "O4", string.Join("; ", report.Findings.Take(4)));
        Read(1);
    }

    private static void Require(bool holds, string oracle, string what)
    {
        if (!holds)
        {
            throw new CrashFailureException($"{oracle}: {what}") { Oracle = oracle };
        }
    }
}
