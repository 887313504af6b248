namespace Voron.Simulation.Crashes;

/// <summary>
/// Opens one state that a crash left and holds it against the oracles: O1 it opens, O2 nothing promised is missing and nothing unheard of
/// appears, O3 the content is the model's, O4 the structure is sound, O5 recovered again it is the same and a clean close leaves nothing to
/// replay, O6 it takes another transaction, O7 what a reader could see is not lost (the bounds hold it), O8 a second cut takes nothing away
/// that was shown, O9 nothing is left behind, O10 equal states give equal recoveries. Some recoveries are cut themselves.
/// </summary>
internal sealed class CrashExaminer(
    ICrashSubject subject, CrashOptions options, CrashStatistics statistics, CrashOrigin origin, Model model)
{
    private const int DeepestCut = 2;
    private static readonly WorkloadChange OneMore = new("one more"u8.ToArray(), "after the crash"u8.ToArray());

    private readonly HashSet<Hash128> _counted = [];
    private readonly RecoveryTree _recoveries = new();

    /// <summary>What the power-cut states met so far recovered to, by the hash of their image.</summary>
    internal Dictionary<Hash128, long> Known { get; } = [];

    /// <summary>States that shall go on with another workload, the transaction they hold and how they came about.</summary>
    internal List<(SimSnapshot Left, long Recovered, string Before)> GoingOn { get; } = [];

    internal static bool OneIn(ulong chance, int chances) => chances > 0 && SimRandom.Mix(chance, 1) % (ulong)chances == 0;

    internal static bool LosesSector(SimSnapshot snapshot, AtomSet kept)
    {
        for (int i = 0; i < kept.Count; i++)
        {
            if (!kept[i] && snapshot.Atoms[i].Kind == SimAtomKind.Data)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>
    /// What the state recovers to: known beforehand when an earlier one showed its recovery the same, else by opening it.
    /// </summary>
    internal long Recover(CrashTrial trial)
    {
        if (!_recoveries.TryFind(trial.Disk, out long expected))
        {
            return Examine(trial);
        }

        statistics.Equal++;
        if (OneIn(trial.Hash.High >> 16, options.EqualOneIn))
        {
            RequireSame(Examine(trial), expected, "equal", trial.Where);
        }

        return expected;
    }

    internal long Examine(CrashTrial trial)
    {
        int cutOneIn = trial.Depth == 0 ? options.RecoveryCutOneIn : options.NestedCutOneIn;
        bool cutsRecovery = trial.Depth < DeepestCut && OneIn(trial.Hash.Low, cutOneIn);
        CrashRecorder? recorder = cutsRecovery ? new CrashRecorder(trial.Disk, trial.Bounds) : null;
        ICrashSession session = Open(trial.Disk, "O1", trial.Where);
        recorder?.Note();
        recorder?.Stop();
        long recovered = session.LastTransactionId;
        RequireBounds(recovered, trial.IsKill ? trial.Bounds.LeastAfterKill : trial.Bounds.LeastAfterCut, trial.Bounds.Most, trial.Where);
        Count(trial, session, recovered);
        SimSnapshot after = trial.Disk.Capture();
        Hash128 trace = trial.Disk.TraceHash;
        RequireContent(session, model, recovered, "O3", trial.Where);
        Leave(session, trial.Disk, trial.Where);
        if (OneIn(trial.Hash.High >> 8, options.TwinOneIn))
        {
            RequireSameTrace(trial.Twin(), trace, trial.Where);
        }

        OpenAgain(after, recovered, trial);
        if (recorder is not null)
        {
            CutRecovery(recorder.Points, recovered, trial);
        }

        if (trial.Depth == 0 && OneIn(trial.Hash.High, options.GoOnOneIn))
        {
            GoingOn.Add((after, recovered, "after this:" + Environment.NewLine + trial.Where()));
        }

        return recovered;
    }

    /// <summary>One more open, of which only the outcome is held against what is known.</summary>
    internal void OpenSame(SimDisk disk, long recovered, string oracle, Func<string> where)
    {
        ICrashSession session = Open(disk, oracle == "O2" ? "O1" : oracle, where);
        RequireSame(session.LastTransactionId, recovered, oracle, where);
        RequireContent(session, model, recovered, oracle == "O2" ? "O3" : oracle, where);
        Leave(session, disk, where);
    }

    internal void RequireBounds(long recovered, long least, long most, Func<string> where)
    {
        if (recovered < least || recovered > most)
        {
            throw origin.Failure("O2", $"recovered to transaction {recovered}, promised were {least}, started {most}", where());
        }
    }

    private void Count(CrashTrial trial, ICrashSession session, long recovered)
    {
        if (trial.IsKill)
        {
            return;
        }

        statistics.Tried++;
        trial.Disk.ReadSet.AddMapped(session.ReachedThroughMap);
        _recoveries.Add(trial.Disk.ReadSet, recovered);
        if (_counted.Add(trial.Disk.ReadSet.Key))
        {
            statistics.Counted++;
            statistics.Nested += trial.Depth > 0 ? 1 : 0;
            statistics.NestedTwice += trial.Depth > 1 ? 1 : 0;
            statistics.LostSector += trial.HasLostSector ? 1 : 0;
            statistics.RecoveredEarlier += recovered < trial.Bounds.Most ? 1 : 0;
        }
    }

    /// <summary>
    /// O8 first: what an open has shown must be on the device when it returns, so this disk is cut, or the process killed, right then.
    /// Then O5 and O6: the same again, in most states with one transaction more, a clean close, and nothing to replay.
    /// </summary>
    private void OpenAgain(SimSnapshot after, long recovered, CrashTrial trial)
    {
        ulong chance = SimRandom.Mix(trial.Hash.Low, 8);
        CutChoice? cut = (chance % 4) switch { 0 => null, 1 => CutChoice.Random(chance), _ => CutChoice.None };
        string oracle = cut is null ? "O5" : "O8";
        string Again() => trial.Where() + Environment.NewLine
            + $"then, right after the open returned with {after.Atoms.Length} atoms pending: {(cut is null ? "a kill" : cut.ToString())}";
        SimDisk disk = cut is { } choice ? after.Cut(choice) : after.Kill();
        ICrashSession second = Open(disk, oracle, Again);
        RequireSame(second.LastTransactionId, recovered, oracle, Again);
        RequireContent(second, model, recovered, oracle, Again);

        Model then = model.From(recovered);
        string Closed() => Again() + Environment.NewLine + $"then {then.LastTransaction - recovered} commits, a close, and an open";
        if ((chance & 12) != 0)
        {
            var transaction = new WorkloadTransaction([OneMore]);
            RequireSame(second.Commit(transaction), then.Start(transaction), "O6", Closed);
        }

        second.Close();
        RequireNothingOpen(disk, Closed);
        if (then.LastTransaction > recovered && subject.FindLitter(disk.Paths()) is { } litter)
        {
            throw origin.Failure("O9", $"a clean close left {litter}", Closed());
        }

        oracle = then.LastTransaction > recovered ? "O6" : "O5";
        ICrashSession third = Open(disk, oracle, Closed);
        RequireSame(third.LastTransactionId, then.LastTransaction, oracle, Closed);
        RequireContent(third, then, then.LastTransaction, oracle, Closed);
        if (third.ReplayedTransactions > 0)
        {
            throw origin.Failure("O5", $"{third.ReplayedTransactions} transactions were replayed after a clean close", Closed());
        }

        Leave(third, disk, Closed);
    }

    /// <summary>
    /// Cuts the power at every point of a recovery. What a power cut had left was durable, so no cut of its recovery may change what is
    /// recovered; after a kill the cache may be lost as well, and only the bounds hold.
    /// </summary>
    private void CutRecovery(List<CrashPoint> points, long recovered, CrashTrial trial)
    {
        long most = options.MostNestedOpens == long.MaxValue ? long.MaxValue : statistics.Tried + options.MostNestedOpens;
        foreach (int i in Enumerable.Range(0, points.Count).OrderBy(i => SimRandom.Mix(trial.Hash.High, (ulong)i)))
        {
            CrashPoint point = points[i];
            foreach (CrashState state in CrashStates.Enumerate(point.Snapshot, trial.Hash.Low + (ulong)i, options.Nested))
            {
                string Where() => trial.Where() + Environment.NewLine + "then, while that was recovered, "
                    + origin.Describe(point, state.Choice, state.Kept);
                if (!Known.TryGetValue(state.Hash, out long again))
                {
                    if (statistics.Tried >= most)
                    {
                        return;
                    }

                    SimDisk Make() => point.Snapshot.Cut(state.Kept, state.Choice);
                    again = Recover(new CrashTrial
                    {
                        Disk = Make(), Twin = Make, Hash = state.Hash, Bounds = trial.Bounds, Where = Where, Depth = trial.Depth + 1,
                        HasLostSector = trial.HasLostSector || LosesSector(point.Snapshot, state.Kept),
                    });
                    Known.TryAdd(state.Hash, again);
                }

                RequireBounds(again, trial.Bounds.LeastAfterCut, trial.Bounds.Most, Where);
                if (!trial.IsKill)
                {
                    RequireSame(again, recovered, "O5", Where);
                }
            }
        }
    }

    private ICrashSession Open(SimDisk disk, string oracle, Func<string> where)
    {
        statistics.Opens++;
        try
        {
            return subject.Open(disk);
        }
        catch (Exception error)
        {
            throw origin.Failure(oracle, "it does not open", where(), error);
        }
    }

    private void Leave(ICrashSession session, SimDisk disk, Func<string> where)
    {
        disk.PowerOff();
        session.Abandon();
        RequireNothingOpen(disk, where);
    }

    private void RequireNothingOpen(SimDisk disk, Func<string> where)
    {
        if (disk.OpenFileCount != 0 || disk.MappedFileCount != 0)
        {
            string what = $"{disk.OpenFileCount} files are open and {disk.MappedFileCount} are mapped after the end of the session";
            throw origin.Failure("O9", what, where());
        }
    }

    private void RequireSameTrace(SimDisk twin, Hash128 trace, Func<string> where)
    {
        ICrashSession session = Open(twin, "O10", where);
        Hash128 again = twin.TraceHash;
        Leave(session, twin, where);
        if (again != trace)
        {
            throw origin.Failure("O10", "two recoveries of the same state made different disk calls", where());
        }
    }

    private void RequireContent(ICrashSession session, Model expected, long recovered, string oracle, Func<string> where)
    {
        try
        {
            if (CrashRun.Difference(expected.At(recovered), session.VisitContent) is { } difference)
            {
                throw origin.Failure(oracle, $"recovered to transaction {recovered}: {difference}", where());
            }

            session.Check();
        }
        catch (Exception error) when (error is not CrashFailureException)
        {
            string what = $"recovered to transaction {recovered}, and then its content could not be read or is unsound";
            throw origin.Failure("O4", what, where(), error);
        }
    }

    private void RequireSame(long again, long recovered, string oracle, Func<string> where)
    {
        if (again != recovered)
        {
            throw origin.Failure(oracle, $"the first recovery ended with transaction {recovered}, the next with {again}", where());
        }
    }
}
