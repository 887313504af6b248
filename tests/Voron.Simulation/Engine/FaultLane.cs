using System.Collections.Immutable;
using Voron.Simulation.Crashes;
using Voron.Storage;

namespace Voron.Simulation.Engine;

/// <summary>
/// Lets one disk call of a run fail, another one each time. What was acknowledged stays readable in the process that saw the failure, also
/// when the cache reverts what a failed sync gave up; and it is there after a kill and after a power cut. After half of the failures the
/// environment lives on: it works, or is refused until it is reopened.
/// </summary>
internal sealed partial class FaultLane
{
    private static readonly SimFaultEffect[] Effects =
    [
        SimFaultEffect.Nothing, SimFaultEffect.Half, SimFaultEffect.Everything, SimFaultEffect.LoseUnsynced, SimFaultEffect.LateArrival,
    ];

    private static readonly WorkloadChange OneMore = new("1 more"u8.ToArray(), "after the failure"u8.ToArray());

    private readonly EngineSubject _subject = new();
    private readonly CrashStatistics _statistics = new();
    private readonly SortedDictionary<int, long> _readers = [];
    private CrashOrigin _origin = null!;
    private Model _model = new();
    private CrashBounds _bounds;

    /// <summary>The newest transaction that a reader saw after the failure; all commits of this lane are durable ones.</summary>
    private long _shown;
    private SimDisk _disk = null!;
    private ICrashSession? _session;
    private string _where = string.Empty;
    private bool _evicts;

    internal static CrashStatistics Run(long states, Func<ulong, Workload> make)
    {
        var lane = new FaultLane();
        foreach (ulong seed in SimSeed.List(1_000_000))
        {
            lane.RunWorkload(make(seed));
            if (lane._statistics.Tried >= states)
            {
                break;
            }
        }

        return lane._statistics;
    }

    private void RunWorkload(Workload workload)
    {
        _statistics.Workloads++;
        long calls = Play(workload, new SimFault { From = int.MaxValue }, "no fault");
        for (int call = 1; call <= calls; call++)
        {
            // Lost pages are what tells a sync that was believed too early, so they are tried for every call, the other effects in turn.
            var other = Effects[(int)(SimRandom.Mix(workload.Seed, (ulong)call) % (ulong)Effects.Length)];
            foreach (SimFaultEffect effect in new[] { SimFaultEffect.LoseUnsynced, other }.Distinct())
            {
                Play(workload, new SimFault { From = call, Effect = effect }, $"disk call {call} fails with effect {effect}");
            }
        }
    }

    private long Play(Workload workload, SimFault fault, string where)
    {
        _statistics.Tried++;
        _where = where;
        _origin = new CrashOrigin(workload, workload.Seed, "Voron.Simulation.Engine.EngineCrashTests", string.Empty);
        _model = new Model();
        _bounds = default;
        _shown = 0;
        _readers.Clear();
        ulong chance = SimRandom.Mix(workload.Seed, (ulong)fault.From + 1_000_000);
        _evicts = chance % 2 == 0;
        _disk = new SimDisk(workload.Seed, new SimDiskOptions { RefusesUnbuffered = chance / 2 % 3 == 0 });
        _disk.Faults.Add(fault);
        _session = null;
        SimSnapshot? left = null;
        try
        {
            _session = _subject.Open(_disk);
            foreach (WorkloadStep step in workload.Steps)
            {
                Play(_session!, step);
            }

            Close();
        }
        catch (StorageException)
        {
            RequireReadable();
            if ((workload.Seed + (ulong)fault.From) % 2 == 0)
            {
                GoOn();
            }
            else
            {
                left = _disk.Capture();
                LiveOn(left.Kill());
            }

            left ??= _disk.Capture();
        }
        catch (Exception error) when (error is not CrashFailureException)
        {
            throw Failure("faults", "something other than a storage failure was thrown", error);
        }

        left ??= _disk.Capture();
        _disk.PowerOff();
        _session?.Abandon();
        if (_disk.OpenFileCount != 0)
        {
            throw Failure("O9", $"{_disk.OpenFileCount} files are open");
        }

        SimDisk killed = left.Kill();
        Reopen(killed, _bounds.LeastAfterKill, "a kill", session => CutAfter(killed, session));
        CutChoice random = CutChoice.Random(workload.Seed + (ulong)fault.From);
        foreach (CutChoice cut in (ReadOnlySpan<CutChoice>)[CutChoice.None, CutChoice.All, random])
        {
            Reopen(left.Cut(cut), _bounds.LeastAfterCut, $"the cut {cut}");
        }

        return _disk.CallCount;
    }

    private void Play(ICrashSession session, WorkloadStep step)
    {
        switch (step.Letter)
        {
            case WorkloadLetter.Rollback:
                session.Rollback(step.Transactions[0]);
                break;
            case WorkloadLetter.OpenReader when !_readers.ContainsKey(step.Slot):
                _readers.Add(step.Slot, session.OpenReader(step.Slot));
                break;
            case WorkloadLetter.CloseReader when _readers.Remove(step.Slot):
                session.CloseReader(step.Slot);
                break;
            case WorkloadLetter.OpenReader or WorkloadLetter.CloseReader:
                break;
            case WorkloadLetter.Checkpoint:
                session.Checkpoint();
                RequireContent(session.LastTransactionId, session.VisitContent, "a reader after the checkpoint");
                break;
            case WorkloadLetter.Reopen:
                Close();
                _session = _subject.Open(_disk);
                break;
            default:
                Commit(session, step.Transactions);
                break;
        }
    }

    private void Commit(ICrashSession session, IReadOnlyList<WorkloadTransaction> transactions)
    {
        ImmutableSortedDictionary<byte[], byte[]> before = _model.At(_model.LastTransaction)!;
        foreach (WorkloadTransaction transaction in transactions)
        {
            _model.Start(transaction);
        }

        _bounds = _bounds with { Most = _model.LastTransaction };
        long committed = transactions.Count == 1 ? session.Commit(transactions[0]) : session.CommitGroup(transactions);
        if (committed == _model.LastTransaction - 1 && before.SequenceEqual(_model.At(_model.LastTransaction)!))
        {
            _model.TakeBackLast();
        }

        _bounds = new CrashBounds(committed, committed, committed);
    }

    private void Close()
    {
        ICrashSession closing = _session!;
        _session = null;
        _readers.Clear();
        closing.Close();
    }

    /// <summary>
    /// A commit and a checkpoint after the failure may be refused; a checkpoint that is not must leave a sound state, whatever the failed
    /// one had begun, also when it is cut itself.
    /// </summary>
    private void GoOn()
    {
        if (_session is { } session && _bounds.Most == _bounds.LeastAfterKill)
        {
            try
            {
                Commit(session, [new WorkloadTransaction([OneMore])]);
            }
            catch (StorageException)
            {
                // Refused, as the checkpoint below may be.
            }
        }

        List<SimSnapshot> during = [];
        _disk.OnCall = (call, phase) =>
        {
            if (phase == SimPhase.Before && (call.Kind & SimCallKind.Changing) != 0)
            {
                during.Add(_disk.Capture());
            }
        };
        try
        {
            _session?.Checkpoint();
        }
        catch (StorageException)
        {
            // Refused: the database must be reopened first.
        }

        _disk.OnCall = null;
        foreach (SimSnapshot cut in during)
        {
            Reopen(cut.Cut(CutChoice.All), _bounds.LeastAfterKill, "a cut in the checkpoint after the failure");
        }
    }

    /// <summary>Writers may be refused now; readers, old ones and new ones, must not notice anything.</summary>
    private void RequireReadable()
    {
        for (int turn = 0; _session is { } session && turn < 2; turn++)
        {
            long last = session.LastTransactionId;
            _shown = Math.Max(_shown, last);
            RequireBounds(last, _bounds.LeastAfterKill, "for new readers after the failure");
            RequireContent(last, session.VisitContent, "a new reader");
            foreach ((int slot, long transaction) in _readers)
            {
                RequireContent(transaction, visitor => session.VisitReader(slot, visitor), "an old reader");
            }

            if (_evicts)
            {
                _disk.EvictLost();
            }
        }
    }

    /// <summary>
    /// What an open shows is on the device, whatever the cache still shows of writes that failed before; and so is what is built on it.
    /// </summary>
    private void CutAfter(SimDisk disk, ICrashSession session)
    {
        long recovered = session.LastTransactionId;
        Reopen(disk.Cut(CutChoice.None), recovered, "the open after the kill, and a cut");
        session.Commit(new WorkloadTransaction([OneMore with { Value = "after the open"u8.ToArray() }]));
        SimDisk cut = disk.Cut(CutChoice.None);
        disk.PowerOff();
        session.Abandon();
        ICrashSession again;
        try
        {
            again = _subject.Open(cut);
        }
        catch (Exception error)
        {
            throw Failure("O1", "it does not open after the open after the kill, a commit and a cut", error);
        }

        if (again.LastTransactionId != recovered + 1)
        {
            throw Failure("O2", $"transaction {again.LastTransactionId} after the commit of {recovered + 1} and a cut");
        }

        cut.PowerOff();
        again.Abandon();
    }

    private void Reopen(SimDisk disk, long least, string how, Action<ICrashSession>? goOn = null)
    {
        _statistics.Opens++;
        ICrashSession session;
        try
        {
            session = _subject.Open(disk);
        }
        catch (Exception error)
        {
            throw Failure("O1", $"it does not open after {how}", error);
        }

        long recovered = session.LastTransactionId;
        RequireBounds(recovered, Math.Max(least, _shown), $"after {how}, {_shown} was shown to a reader");
        _statistics.RecoveredEarlier += recovered < _bounds.Most ? 1 : 0;
        RequireContent(recovered, session.VisitContent, $"the content after {how}");
        RequireSound(session, how);
        if (goOn is not null)
        {
            goOn(session);
            return;
        }

        disk.PowerOff();
        session.Abandon();
    }

    private void RequireSound(ICrashSession session, string how)
    {
        try
        {
            session.Check();
        }
        catch (Exception error) when (error is StorageException or InvalidDataException)
        {
            throw Failure("O4", $"it is unsound after {how}", error);
        }
    }

    private void RequireBounds(long transaction, long least, string when)
    {
        if (transaction < least || transaction > _bounds.Most)
        {
            throw Failure("O2", $"transaction {transaction} {when}, promised were {least}, started {_bounds.Most}");
        }
    }

    private void RequireContent(long transaction, Action<ContentVisitor> visit, string what)
    {
        string? difference;
        try
        {
            difference = CrashRun.Difference(_model.At(transaction), visit);
        }
        catch (Exception error) when (error is StorageException or InvalidDataException)
        {
            throw Failure("O3", $"{what} cannot be read", error);
        }

        if (difference is not null)
        {
            throw Failure("O3", $"{what}: {difference}");
        }
    }

    private CrashFailureException Failure(string oracle, string what, Exception? inner = null) =>
        _origin.Failure(oracle, what, _where, inner);
}
