namespace Voron.Simulation.Crashes;

/// <summary>
/// Goes through the states that the crash points of one run could leave and has each examined once: a state met before is not opened
/// again, but what it recovered to is held against the new bounds.
/// </summary>
internal sealed class CrashVerifier(
    ICrashSubject subject,
    CrashOptions options,
    CrashStatistics statistics,
    CrashOrigin origin,
    Model model,
    Action<SimDisk, Model, CrashOptions, string> goOn)
{
    private readonly CrashExaminer _examiner = new(subject, options, statistics, origin, model);
    private readonly Dictionary<Hash128, long> _recoveredAfterKill = [];
    private long _opened;

    internal void Verify(List<CrashPoint> points)
    {
        foreach (int i in Order(points))
        {
            ulong seed = SimRandom.Mix(origin.Seed, (ulong)i);
            int oneIn = points[i].Step < 0 ? Math.Max(options.PointOneIn, options.FirstOpenPointOneIn) : options.PointOneIn;

            // The last point, after the end of the run, holds the tightest bounds of all.
            bool isLast = i == points.Count - 1;
            if (oneIn <= 1 || seed % (ulong)oneIn == 0 || isLast)
            {
                statistics.Points++;
                VerifyCuts(points[i], seed);
                if (isLast || (options.KillOneIn > 0 && seed / 64 % (ulong)options.KillOneIn == 0))
                {
                    VerifyKill(points[i]);
                }
            }
        }

        // Runs that go on come last, so that what needs no second run to fail is reported in its simplest form.
        foreach ((SimSnapshot left, long recovered, string before) in _examiner.GoingOn)
        {
            goOn(left.Kill(), model.From(recovered), options.Nested, before);
        }
    }

    /// <summary>Where a budget may end the work early, points are taken from all over the run, else in order.</summary>
    private IEnumerable<int> Order(List<CrashPoint> points)
    {
        IEnumerable<int> all = Enumerable.Range(0, points.Count);
        return options.MostOpens == long.MaxValue
            ? all
            : all.OrderBy(i => options.NamesFirst && points[i].IsOfNames ? 0 : 1).ThenBy(i => SimRandom.Mix(~origin.Seed, (ulong)i));
    }

    private bool IsChosen(CrashState state) =>
        state.Choice.Family is CutFamily.None or CutFamily.All
        || CrashExaminer.OneIn(state.Hash.Low ^ state.Hash.High, options.StateOneIn);

    private void VerifyCuts(CrashPoint point, ulong seed)
    {
        CrashBounds bounds = point.Bounds with { LeastAfterKill = point.Bounds.LeastAfterCut };
        foreach (CrashState state in CrashStates.Enumerate(point.Snapshot, seed, options, () => statistics.Offered++))
        {
            string Where() => origin.Describe(point, state.Choice, state.Kept);
            if (!_examiner.Known.TryGetValue(state.Hash, out long recovered))
            {
                if (!IsChosen(state) || _opened >= options.MostOpens)
                {
                    continue;
                }

                recovered = Cut(point, state, bounds, Where);
                _examiner.Known.TryAdd(state.Hash, recovered);
            }

            _examiner.RequireBounds(recovered, bounds.LeastAfterCut, bounds.Most, Where);
        }
    }

    private long Cut(CrashPoint point, CrashState state, CrashBounds bounds, Func<string> where)
    {
        SimDisk Make() => point.Snapshot.Cut(state.Kept, state.Choice);
        SimDisk disk = Make();
        Hash128 image = disk.ImageHash();
        if (!_examiner.Known.TryGetValue(image, out long recovered))
        {
            long triedBefore = statistics.Tried;
            recovered = _examiner.Recover(new CrashTrial
            {
                Disk = disk, Twin = Make, Hash = image, Bounds = bounds, Where = where,
                HasLostSector = CrashExaminer.LosesSector(point.Snapshot, state.Kept),
            });
            _examiner.Known.TryAdd(image, recovered);
            if (statistics.Tried == triedBefore)
            {
                return recovered;
            }

            _opened++;
            OpenDamaged(point, state, recovered, where);
        }

        return recovered;
    }

    /// <summary>A header slot more or less must not change what is recovered.</summary>
    private void OpenDamaged(CrashPoint point, CrashState state, long recovered, Func<string> where)
    {
        for (int slot = 0; slot < 2 && options.Damage is { } damage; slot++)
        {
            SimDisk disk = point.Snapshot.Cut(state.Kept, state.Choice);
            if (!damage.Apply(point.Snapshot, disk, slot))
            {
                return;
            }

            statistics.Damaged++;
            _examiner.OpenSame(disk, recovered, "O2", () => where() + Environment.NewLine + "then a header slot was damaged");
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
            _opened++;
            recovered = _examiner.Examine(new CrashTrial
            {
                Disk = point.Snapshot.Kill(), Twin = point.Snapshot.Kill, Hash = hash, Bounds = point.Bounds, Where = Where, IsKill = true,
            });
            _recoveredAfterKill.Add(hash, recovered);
        }

        _examiner.RequireBounds(recovered, point.Bounds.LeastAfterKill, point.Bounds.Most, Where);
    }
}
