namespace Voron.Simulation.Schedules;

/// <summary>
/// What the threads of one schedule do, each its steps in order. Follows from the kind and a seed, or is read from a tape.
/// </summary>
/// <param name="Kind">The protocol.</param>
/// <param name="Base">Which database it begins with.</param>
/// <param name="Threads">The steps of every thread.</param>
/// <param name="Fault">A disk call that fails, or null.</param>
internal sealed record ScheduleProgram(
    ScheduleKind Kind, int Base, IReadOnlyList<IReadOnlyList<ScheduleStep>> Threads, ScheduleFault? Fault = null)
{
    internal const int Keys = 24;
    private const int RunKeys = 4;
    private const int MostInOneChunk = 16 << 10;
    private const int FaultOneIn = 6;

    /// <summary>One program in this many has a pending tree for each tree.</summary>
    private const ulong PendingOneIn = 3;

    /// <summary>One program in so many has asynchronous commits: half of its durable ones.</summary>
    private const int AsyncOneIn = 4;

    /// <summary>One program in so many has lazy commits in the place of others: what is visible runs ahead of what is written.</summary>
    private const int LazyOneIn = 11;
    private const int LazyRemainder = 6;

    /// <summary>Transactions of many puts make their pages while the device has their record.</summary>
    private const int LongOneIn = 4;

    /// <summary>
    /// All commits ask for the device and fit the chunk at hand, so nothing may be visible that a power cut could take away.
    /// </summary>
    internal bool IsStrict => Kind != ScheduleKind.Background
        && Steps.All(static step => step.Verb
            is not (ScheduleVerb.Buffered or ScheduleVerb.Lazy or ScheduleVerb.Undo or ScheduleVerb.UndoMoved))
        && Steps.Sum(static step => step.Puts.Sum(static put => Math.Max(put.Bytes, 0))) < MostInOneChunk;

    /// <summary>Whether the engine has threads of its own.</summary>
    internal bool HasBackground => Kind is ScheduleKind.Background or ScheduleKind.Close;

    /// <summary>Whether others may run between the steps that change a chain of page versions.</summary>
    internal bool ExploresChains => Kind == ScheduleKind.Chain;

    /// <summary>Whether the environment is disposed while the threads are at work.</summary>
    internal bool IsDisposedBeside => Kind is ScheduleKind.Close or ScheduleKind.Dispose;

    /// <summary>Bytes for pending trees, which every tree then has; few, so that entries are merged in the middle of things.</summary>
    internal long? PendingBytes => Base >= ScheduleBase.WithPending ? 12 << 10 : null;

    /// <summary>From how many bytes on values go straight to the data file.</summary>
    internal int PlacedValueBytes => Kind == ScheduleKind.Grow ? 90_000 : 64 << 10;

    private IEnumerable<ScheduleStep> Steps => Threads.SelectMany(static thread => thread);

    internal static ScheduleProgram Generate(ScheduleKind kind, ulong seed)
    {
        var random = new SimRandom(SimRandom.Mix(seed, 0x5C4ED));
        int start = random.Below(ScheduleBase.Count) + (seed % PendingOneIn == 2 ? ScheduleBase.WithPending : 0);
        ScheduleFault? fault = random.OneIn(kind == ScheduleKind.Close ? 2 : FaultOneIn) ? ScheduleFault.Generate(random) : null;
        List<IReadOnlyList<ScheduleStep>> threads = kind switch
        {
            ScheduleKind.Commit => Commit(random),
            ScheduleKind.Flush => Flush(random),
            ScheduleKind.Background => Background(random),
            ScheduleKind.Share => Share(random),
            ScheduleKind.Release => Release(random),
            ScheduleKind.Recycle => Recycle(random),
            ScheduleKind.Dispose => Dispose(random),
            ScheduleKind.Grow => Grow(random),
            ScheduleKind.Chain => Chain(random),
            ScheduleKind.Gather => Gather(random),
            _ => Close(random),
        };
        if (seed % LazyOneIn == LazyRemainder)
        {
            threads = With(threads, static verb => verb is ScheduleVerb.Durable or ScheduleVerb.Buffered ? ScheduleVerb.Lazy : verb);
        }
        else if (seed % AsyncOneIn == 1)
        {
            threads = With(threads, verb => verb == ScheduleVerb.Durable && random.OneIn(2) ? ScheduleVerb.Async : verb);
        }

        return new ScheduleProgram(kind, start, threads, fault);
    }

    private static List<IReadOnlyList<ScheduleStep>> With(
        List<IReadOnlyList<ScheduleStep>> threads, Func<ScheduleVerb, ScheduleVerb> change) =>
        [.. threads.Select(steps => (IReadOnlyList<ScheduleStep>)[.. steps.Select(step => step with { Verb = change(step.Verb) })])];

    private static List<IReadOnlyList<ScheduleStep>> Commit(SimRandom random)
    {
        int bufferedOneIn = random.OneIn(2) ? 0 : 2;
        List<IReadOnlyList<ScheduleStep>> threads = [];
        int writers = random.Between(2, 4);
        for (int i = 0; i < writers; i++)
        {
            threads.Add(Many(random.Between(1, 3), () => Write(random, bufferedOneIn, 300)));
        }

        threads.Add(Many(random.Between(1, 3), () => Read(random)));
        if (random.OneIn(2))
        {
            threads.Add(Many(random.Between(1, 3), () => Read(random)));
        }

        return threads;
    }

    private static List<IReadOnlyList<ScheduleStep>> Flush(SimRandom random)
    {
        List<IReadOnlyList<ScheduleStep>> threads =
        [
            Many(random.Between(2, 4), () => Write(random, random.OneIn(3) ? 2 : 0, random.OneIn(4) ? 6000 : 400)),
            Many(random.Between(1, 3), static () => new ScheduleStep(ScheduleVerb.Checkpoint, [])),
            Many(random.Between(1, 3), () => Read(random)),
        ];
        if (random.OneIn(2))
        {
            threads.Add(Many(random.Between(1, 2), () => random.OneIn(2) ? Read(random) : Write(random, 3, 400)));
        }

        return threads;
    }

    private static List<IReadOnlyList<ScheduleStep>> Background(SimRandom random)
    {
        List<IReadOnlyList<ScheduleStep>> threads =
        [
            Many(random.Between(2, 4), () => Write(random, 3, random.OneIn(2) ? 24_000 : 500)),
            Many(random.Between(1, 2), () => Write(random, 3, random.OneIn(3) ? 24_000 : 500)),
            Many(random.Between(1, 2), () => Read(random)),
        ];
        if (random.OneIn(3))
        {
            threads.Add([new ScheduleStep(ScheduleVerb.Checkpoint, []), new ScheduleStep(ScheduleVerb.Report, [])]);
        }

        return threads;
    }

    private static List<IReadOnlyList<ScheduleStep>> Share(SimRandom random)
    {
        ScheduleVerb[] verbs =
        [
            ScheduleVerb.Share, ScheduleVerb.Share, ScheduleVerb.ShareAndFail, ScheduleVerb.Lazy, ScheduleVerb.Durable,
            ScheduleVerb.BeginAsync,
        ];
        List<IReadOnlyList<ScheduleStep>> threads = [];
        int writers = random.Between(2, 4);
        for (int i = 0; i < writers; i++)
        {
            threads.Add(Many(random.Between(1, 3), () => Write(random, 0, 300) with { Verb = verbs[random.Below(verbs.Length)] }));
        }

        threads.Add(Many(random.Between(1, 3), () => Read(random)));
        if (random.OneIn(3))
        {
            threads.Add([new ScheduleStep(ScheduleVerb.Checkpoint, [])]);
        }

        return threads;
    }

    private static List<IReadOnlyList<ScheduleStep>> Close(SimRandom random) =>
    [
        Many(random.Between(1, 3), () => Write(random, 3, 300)),
        Many(random.Between(1, 2), () => random.OneIn(2) ? new ScheduleStep(ScheduleVerb.Checkpoint, []) : Write(random, 3, 300)),
        Many(random.Between(1, 2), () => Read(random)),
    ];

    private static List<IReadOnlyList<ScheduleStep>> Release(SimRandom random) =>
    [
        Many(random.Between(2, 4), () => Write(random, random.OneIn(2) ? 2 : 0, 200)),
        Many(random.Between(1, 3), () => Read(random)),
        Many(random.Between(1, 2), () => random.OneIn(2) ? Read(random) : new ScheduleStep(ScheduleVerb.Checkpoint, [])),
    ];

    private static List<IReadOnlyList<ScheduleStep>> Recycle(SimRandom random) =>
    [
        Many(random.Between(2, 4), () => Write(random, 3, 40_000)),
        Many(random.Between(1, 3), () => random.OneIn(3) ? Write(random, 3, 20_000) : new ScheduleStep(ScheduleVerb.Checkpoint, [])),
    ];

    private static List<IReadOnlyList<ScheduleStep>> Dispose(SimRandom random) =>
    [
        Many(random.Between(1, 3), () => Read(random)),
        Many(random.Between(1, 2), () => random.OneIn(2) ? Read(random) : Write(random, 3, 300)),
        Many(random.Between(1, 2), () => Write(random, 3, 300)),
    ];

    private static List<IReadOnlyList<ScheduleStep>> Grow(SimRandom random) =>
    [
        Many(random.Between(2, 3), () => new ScheduleStep(
            random.OneIn(3) ? ScheduleVerb.Buffered : ScheduleVerb.Durable,
            [new SchedulePut(random.Below(Keys), random.Below(140_000), random.Below(1000))])),
        Many(random.Between(1, 2), static () => new ScheduleStep(ScheduleVerb.Checkpoint, [])),
        Many(random.Between(1, 2), () => Read(random)),
    ];

    /// <summary>Values of two pages come, go while they move to the file or after it, and others take their pages.</summary>
    private static List<IReadOnlyList<ScheduleStep>> Chain(SimRandom random)
    {
        ScheduleVerb[] ends =
        [
            ScheduleVerb.UndoMoved, ScheduleVerb.RollbackMoved, ScheduleVerb.AsyncMoved, ScheduleVerb.Lazy, ScheduleVerb.Undo,
        ];
        ScheduleStep checkpoint = new(ScheduleVerb.Checkpoint, []);
        List<ScheduleStep> writer = [new ScheduleStep(ScheduleVerb.Lazy, Runs(random))];
        if (random.OneIn(2))
        {
            // Other values in the same pages, which the data file has before they go.
            writer.AddRange([new(ScheduleVerb.Lazy, NoRuns), new(ScheduleVerb.Lazy, Runs(random)), checkpoint]);
        }

        writer.Add(new ScheduleStep(ends[random.Below(ends.Length)], [.. NoRuns, .. Fill(random)]));
        List<ScheduleStep> other = [new ScheduleStep(ScheduleVerb.Lazy, Fill(random)), checkpoint];
        if (random.OneIn(2))
        {
            writer.AddRange(other);
            other = [checkpoint];
        }

        return
        [
            writer,
            other,
            Many(random.Between(1, 3), () => new ScheduleStep(ScheduleVerb.Read, [], random.Between(1, 4))),
            Many(random.Between(1, 3), () => new ScheduleStep(ScheduleVerb.Read, [], random.Between(1, 4))),
        ];
    }

    private static SchedulePut[] NoRuns => [.. Enumerable.Range(0, RunKeys).Select(static key => new SchedulePut(key, -1, 0))];

    private static SchedulePut[] Runs(SimRandom random) =>
        [.. Enumerable.Range(0, RunKeys).Select(key => new SchedulePut(key, random.Between(4100, 8000), random.Below(1000)))];

    /// <summary>Small values that take the pages of the runs.</summary>
    private static SchedulePut[] Fill(SimRandom random) =>
        [.. Enumerable.Range(RunKeys, Keys - RunKeys).Select(key => new SchedulePut(key, 900, random.Below(1000)))];

    private static List<IReadOnlyList<ScheduleStep>> Gather(SimRandom random)
    {
        List<IReadOnlyList<ScheduleStep>> threads = [];
        int writers = random.Between(3, 4);
        for (int i = 0; i < writers; i++)
        {
            threads.Add(Many(3, () => new ScheduleStep(ScheduleVerb.Durable, random.OneIn(2) ? LongPuts(random, 100) : Fill(random)[..2])));
        }

        return threads;
    }

    private static SchedulePut[] LongPuts(SimRandom random, int mostBytes) =>
        [.. Enumerable.Range(0, random.Between(16, 20))
            .Select(_ => new SchedulePut(random.Below(Keys), random.Below(mostBytes), random.Below(1000)))];

    private static ScheduleStep[] Many(int count, Func<ScheduleStep> make)
    {
        ScheduleStep[] steps = new ScheduleStep[count];
        for (int i = 0; i < count; i++)
        {
            steps[i] = make();
        }

        return steps;
    }

    private static ScheduleStep Read(SimRandom random) => new(ScheduleVerb.Read, [], random.Between(1, 2));

    private static ScheduleStep Write(SimRandom random, int bufferedOneIn, int mostBytes)
    {
        ScheduleVerb verb = random.OneIn(10) ? ScheduleVerb.Rollback
            : bufferedOneIn > 0 && random.OneIn(bufferedOneIn) ? ScheduleVerb.Buffered
            : ScheduleVerb.Durable;
        bool isLong = random.OneIn(LongOneIn);
        SchedulePut[] puts = new SchedulePut[isLong ? random.Between(16, 20) : random.Between(1, 3)];
        for (int i = 0; i < puts.Length; i++)
        {
            int key = random.Below(Keys);
            puts[i] = !isLong && random.OneIn(6)
                ? new SchedulePut(key, -1, 0)
                : new SchedulePut(key, random.Below(isLong ? mostBytes / 4 : mostBytes), random.Below(1000));
        }

        return new ScheduleStep(verb, puts);
    }
}
