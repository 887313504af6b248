namespace Voron.Simulation.Crashes;

/// <summary>
/// Opens the states that the crash points of one run could leave and holds every recovery against the oracles: O1 it opens, O2 nothing
/// promised is missing and nothing unheard of appears,
/// O3 the content is the model's, O4 the structure is sound, O5 again the same, O8 a second cut takes nothing away that was shown, O9
/// nothing is left open.
/// A state met before is not opened again: what it recovered to is held against the new bounds.
/// </summary>
internal sealed class CrashVerifier(
    ICrashSubject subject,
    CrashOptions options,
    CrashStatistics statistics,
    CrashOrigin origin,
    Model model,
    Action<SimDisk, Model, CrashOptions, string> goOn)
{
    private readonly Dictionary<Hash128, long> _recoveredAfterCut = [];
    private readonly Dictionary<Hash128, long> _recoveredAfterKill = [];
    private readonly HashSet<Hash128> _readKeys = [];
    private readonly List<Action> _later = [];
    private long _opened;

    internal void Verify(List<CrashPoint> points)
    {
        foreach (int i in Order(points.Count))
        {
            ulong seed = SimRandom.Mix(origin.Seed, (ulong)i);
            int oneIn = points[i].Step < 0 ? Math.Max(options.PointOneIn, options.FirstOpenPointOneIn) : options.PointOneIn;
            // The last point, after the end of the run, holds the tightest bounds of all.
            if (oneIn <= 1 || seed % (ulong)oneIn == 0 || i == points.Count - 1)
            {
                statistics.Points++;
                VerifyCuts(points[i], seed);
                VerifyKill(points[i]);
            }
        }

        // Runs that go on come last, so that what needs no second run to fail is reported in its simplest form.
        foreach (Action run in _later)
        {
            run();
        }

        statistics.DistinctRead += _readKeys.Count;
    }

    /// <summary>Where a budget may end the work early, points are taken from all over the run, else in order.</summary>
    private IEnumerable<int> Order(int count)
    {
        IEnumerable<int> all = Enumerable.Range(0, count);
        return options.MostOpens == long.MaxValue ? all : all.OrderBy(i => SimRandom.Mix(~origin.Seed, (ulong)i));
    }

    private bool IsChosen(CrashState state) =>
        state.Choice.Family is CutFamily.None or CutFamily.All || OneIn(state.Hash.Low ^ state.Hash.High, options.StateOneIn);

    private void VerifyCuts(CrashPoint point, ulong seed)
    {
        foreach (CrashState state in CrashStates.Enumerate(point.Snapshot, seed, options, () => statistics.States++))
        {
            string Where() => origin.Describe(point, state.Choice, state.Kept);
            CrashBounds bounds = point.Bounds with { LeastAfterKill = point.Bounds.LeastAfterCut };
            if (!_recoveredAfterCut.TryGetValue(state.Hash, out long recovered))
            {
                SimDisk disk = point.Snapshot.Cut(state.Kept, state.Choice.Garbage, state.Choice.GarbageSeed);
                Hash128 image = disk.ImageHash();
                if (!_recoveredAfterCut.TryGetValue(image, out recovered))
                {
                    if (!IsChosen(state) || _opened >= options.MostOpens)
                    {
                        continue;
                    }

                    statistics.Distinct++;
                    recovered = Examine(disk, image, bounds, Where);
                    statistics.LostAnAtom += state.Kept.Kept < state.Kept.Count ? 1 : 0;
                    statistics.RecoveredEarlier += recovered < point.Bounds.Most ? 1 : 0;
                    _recoveredAfterCut.Add(image, recovered);
                    OpenDamaged(point, state, recovered, Where);
                }

                _recoveredAfterCut.TryAdd(state.Hash, recovered);
            }

            RequireBounds(recovered, point.Bounds.LeastAfterCut, point.Bounds.Most, Where);
        }
    }

    /// <summary>A header slot more or less must not change what is recovered.</summary>
    private void OpenDamaged(CrashPoint point, CrashState state, long recovered, Func<string> where)
    {
        for (int slot = 0; slot < 2 && options.Damage is { } damage; slot++)
        {
            SimDisk disk = point.Snapshot.Cut(state.Kept, state.Choice.Garbage, state.Choice.GarbageSeed);
            if (!damage.Apply(point.Snapshot, disk, slot))
            {
                return;
            }

            string Damaged() => where() + Environment.NewLine + "then a header slot was damaged";
            statistics.Damaged++;
            ICrashSession session = Open(disk, "O1", Damaged);
            RequireSame(session.LastTransactionId, recovered, "O2", Damaged);
            RequireContent(session, recovered, "O3", Damaged);
            Leave(session, disk, Damaged);
        }
    }

    private void VerifyKill(CrashPoint point)
    {
        string Where() => origin.Describe(point) + Environment.NewLine + "kill: all that was written is seen, no more of it is durable";
        Hash128 hash = point.Snapshot.KillHash();
        if (!_recoveredAfterKill.TryGetValue(hash, out long recovered))
        {
            if (_opened >= options.MostOpens)
            {
                return;
            }

            statistics.Kills++;
            recovered = Examine(point.Snapshot.Kill(), hash, point.Bounds, Where, isKill: true);
            _recoveredAfterKill.Add(hash, recovered);
        }

        RequireBounds(recovered, point.Bounds.LeastAfterKill, point.Bounds.Most, Where);
    }

    private long Examine(SimDisk disk, Hash128 hash, CrashBounds bounds, Func<string> where, bool isKill = false)
    {
        _opened++;
        bool cutsRecovery = OneIn(hash.Low, options.RecoveryCutOneIn);
        bool goesOn = OneIn(hash.High, options.GoOnOneIn);
        bool opensAgain = isKill || OneIn(hash.Low >> 32, options.SecondOpenOneIn);
        CrashRecorder? recorder = cutsRecovery ? new CrashRecorder(disk, bounds) : null;
        ICrashSession session = Open(disk, "O1", where);
        recorder?.Note();
        recorder?.Stop();
        _readKeys.Add(disk.ReadSet.Key);
        SimSnapshot? after = opensAgain || goesOn ? disk.Capture() : null;
        long recovered = session.LastTransactionId;
        RequireContent(session, recovered, "O3", where);
        Leave(session, disk, where);
        if (opensAgain)
        {
            CutAgain(after!, recovered, where);
            OpenAgain(after!, recovered, where);
        }

        if (recorder is not null)
        {
            CutRecovery(recorder.Points, hash, where);
        }

        if (goesOn)
        {
            string before = "after this:" + Environment.NewLine + where();
            _later.Add(() => goOn(after!.Kill(), model.From(recovered), options.Nested, before));
        }

        return recovered;
    }

    /// <summary>O8: what an open has shown must be on the device when it returns.</summary>
    private void CutAgain(SimSnapshot after, long recovered, Func<string> where)
    {
        foreach (CutChoice choice in (ReadOnlySpan<CutChoice>)[CutChoice.None, CutChoice.Random((ulong)recovered + 1)])
        {
            string Again() =>
                where() + Environment.NewLine + $"then, right after the open returned with {after.Atoms.Length} atoms pending: {choice}";
            SimDisk disk = after.Cut(choice);
            ICrashSession session = Open(disk, "O8", Again);
            RequireSame(session.LastTransactionId, recovered, "O8", Again);
            RequireContent(session, recovered, "O8", Again);
            Leave(session, disk, Again);
        }
    }

    /// <summary>O5: a second recovery, a clean close and a third open change nothing.</summary>
    private void OpenAgain(SimSnapshot after, long recovered, Func<string> where)
    {
        string Again() => where() + Environment.NewLine + "then a second open, a close, a third open";
        SimDisk disk = after.Kill();
        ICrashSession second = Open(disk, "O5", Again);
        RequireSame(second.LastTransactionId, recovered, "O5", Again);
        RequireContent(second, recovered, "O5", Again);
        second.Close();
        ICrashSession third = Open(disk, "O5", Again);
        RequireSame(third.LastTransactionId, recovered, "O5", Again);
        RequireContent(third, recovered, "O5", Again);
        if (third.ReplayedTransactions > 0)
        {
            throw origin.Failure("O5", $"{third.ReplayedTransactions} transactions were replayed after a clean close", Again());
        }

        Leave(third, disk, Again);
    }

    private void CutRecovery(List<CrashPoint> points, Hash128 hash, Func<string> where)
    {
        var known = new Dictionary<Hash128, long>();
        for (int i = 0; i < points.Count; i++)
        {
            CrashPoint point = points[i];
            foreach (CrashState state in CrashStates.Enumerate(point.Snapshot, hash.Low + (ulong)i, options.Nested))
            {
                string Again() =>
                    where() + Environment.NewLine + "then, while that was recovered, " + origin.Describe(point, state.Choice, state.Kept);
                if (!known.TryGetValue(state.Hash, out long recovered))
                {
                    statistics.RecoveryCuts++;
                    SimDisk disk = point.Snapshot.Cut(state.Kept, state.Choice.Garbage, state.Choice.GarbageSeed);
                    ICrashSession session = Open(disk, "O1", Again);
                    recovered = session.LastTransactionId;
                    RequireContent(session, recovered, "O3", Again);
                    Leave(session, disk, Again);
                    known.Add(state.Hash, recovered);
                }

                RequireBounds(recovered, point.Bounds.LeastAfterCut, point.Bounds.Most, Again);
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
        if (disk.OpenFileCount != 0)
        {
            throw origin.Failure("O9", $"{disk.OpenFileCount} files are open after the session was abandoned", where());
        }
    }

    private void RequireContent(ICrashSession session, long recovered, string oracle, Func<string> where)
    {
        try
        {
            if (CrashRun.Difference(model.At(recovered), session.VisitContent) is { } difference)
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

    private void RequireBounds(long recovered, long least, long most, Func<string> where)
    {
        if (recovered < least || recovered > most)
        {
            throw origin.Failure("O2", $"recovered to transaction {recovered}, promised were {least}, started {most}", where());
        }
    }

    private static bool OneIn(ulong chance, int chances) => chances > 0 && SimRandom.Mix(chance, 1) % (ulong)chances == 0;
}
