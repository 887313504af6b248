using Voron.Simulation.Crashes;
using Voron.Storage;

namespace Voron.Simulation.Engine;

/// <summary>
/// One write of a run is silently wrong: a bit of it is turned over, it goes one block too far, or it never happens, and the engine is told
/// of success. Each write of each workload in turn, and then a kill and a power cut: the database is refused, a read of it is, or all rows
/// are right and nothing acknowledged is missing. Only the last write of the journal may be lost without a word, for nothing can tell that
/// from a write that a power cut tore.
/// </summary>
internal sealed class SilentLane
{
    private static readonly SimFaultEffect[] Effects = [SimFaultEffect.FlipBit, SimFaultEffect.Misdirect, SimFaultEffect.Nothing];

    private readonly EngineSubject _subject = new();
    private readonly CrashStatistics _statistics = new();

    internal static CrashStatistics Run(long states)
    {
        SilentLane lane = new();
        foreach (ulong seed in SimSeed.List(1_000_000))
        {
            lane.RunWorkload(Workload.Generate(seed, EngineLanes.Small with { BigTransactionBytes = 40 << 10, AsyncOneIn = 0 }));
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
        long writes = new Life(this, workload, new SimFault { Calls = SimCallKind.Write, From = int.MaxValue }).Play();
        for (int write = 1; write <= writes; write++)
        {
            foreach (SimFaultEffect effect in Effects)
            {
                SimFault fault = new() { Calls = SimCallKind.Write, From = write, Effect = effect, Error = IoErrorKind.None };
                new Life(this, workload, fault).Play();
            }
        }
    }

    /// <summary>A workload played once, with one write that is wrong.</summary>
    private sealed class Life(SilentLane lane, Workload workload, SimFault fault)
    {
        private readonly SimDisk _disk = new(workload.Seed);
        private readonly Model _model = new();
        private ICrashSession? _session;
        private long _acknowledged;

        /// <summary>No commit chunk was written to after the write that was wrong.</summary>
        private bool _isLastOfJournal;

        /// <summary>How many writes it made.</summary>
        internal long Play()
        {
            lane._statistics.Tried++;
            long writes = 0;
            _disk.Faults.Add(fault);
            _disk.OnCall = (call, phase) =>
            {
                if (phase == SimPhase.Before && call.Kind == SimCallKind.Write)
                {
                    writes++;
                    _isLastOfJournal &= !call.Path.EndsWith(".commit", StringComparison.Ordinal);
                    _isLastOfJournal |= call.Fault is not null && call.Path.EndsWith(".commit", StringComparison.Ordinal);
                }
            };
            try
            {
                _session = lane._subject.Open(_disk);
                foreach (WorkloadStep step in workload.Steps)
                {
                    Play(step);
                }
            }
            catch (StorageException)
            {
                // Noticed while it ran.
            }

            SimSnapshot left = _disk.Capture();
            _disk.PowerOff();
            _session?.Abandon();
            Reopen(left.Kill(), "a kill");
            Reopen(left.Cut(CutChoice.None), "a cut");
            return writes;
        }

        private void Play(WorkloadStep step)
        {
            switch (step.Letter)
            {
                case WorkloadLetter.OpenReader or WorkloadLetter.CloseReader or WorkloadLetter.Rollback:
                    break;
                case WorkloadLetter.Checkpoint:
                    _session!.Checkpoint();
                    break;
                case WorkloadLetter.Reopen:
                    ICrashSession closing = _session!;
                    _session = null;
                    closing.Close();
                    _session = lane._subject.Open(_disk);
                    break;
                default:
                    foreach (WorkloadTransaction transaction in step.Transactions)
                    {
                        Commit(transaction);
                    }

                    break;
            }
        }

        private void Commit(WorkloadTransaction transaction)
        {
            var before = _model.At(_model.LastTransaction)!;
            _model.Start(transaction);
            long committed = _session!.Commit(transaction);
            if (committed == _model.LastTransaction - 1 && before.SequenceEqual(_model.At(_model.LastTransaction)!))
            {
                _model.TakeBackLast();
            }

            _acknowledged = committed;
        }

        private void Reopen(SimDisk disk, string how)
        {
            lane._statistics.Opens++;
            try
            {
                ICrashSession session = lane._subject.Open(disk);
                try
                {
                    Judge(session, how);
                }
                finally
                {
                    disk.PowerOff();
                    session.Abandon();
                }
            }
            catch (StorageException)
            {
                lane._statistics.Damaged++;
            }
        }

        private void Judge(ICrashSession session, string how)
        {
            long found = session.LastTransactionId;
            if (found > _model.LastTransaction || (found < _acknowledged && !_isLastOfJournal))
            {
                throw Failure("O2", $"transaction {found} after {how}, {_acknowledged} was acknowledged, {_model.LastTransaction} begun");
            }

            if (CrashRun.Difference(_model.At(found), session.VisitContent) is { } difference)
            {
                throw Failure("O3", $"wrong rows at transaction {found} after {how}, without an error: {difference}");
            }
        }

        private CrashFailureException Failure(string oracle, string what) =>
            new CrashOrigin(workload, workload.Seed, "Voron.Simulation.Engine.EngineCrashTests", string.Empty).Failure(
                oracle, what, $"write {fault.From} had the effect {fault.Effect}");
    }
}
