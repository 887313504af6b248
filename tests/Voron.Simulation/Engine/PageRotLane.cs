using Voron.Simulation.Crashes;
using Voron.Storage;

namespace Voron.Simulation.Engine;

/// <summary>
/// Flips bits in pages of the data file, or puts one page in another's place: at rest, and in pages that a checkpoint of an open database
/// has just rewritten after they had been read. Whoever reads such a page is refused, or, where it means nothing to anybody, everything is
/// right. Damaged content is never given out.
/// </summary>
internal static class PageRotLane
{
    private const int DamagesOfEachRun = 12;
    private const int PageBytes = EngineSubject.PageBytes;

    internal static CrashStatistics Run(long states)
    {
        var statistics = new CrashStatistics();
        foreach (ulong seed in SimSeed.List(1_000_000))
        {
            statistics.Workloads++;
            RunSeed(seed, statistics);
            if (statistics.Tried >= states)
            {
                break;
            }
        }

        return statistics;
    }

    private static void RunSeed(ulong seed, CrashStatistics statistics)
    {
        WorkloadLetter[] letters =
        [
            WorkloadLetter.BigTransaction, WorkloadLetter.PutOverflow, WorkloadLetter.PutSmall, WorkloadLetter.Checkpoint,
            WorkloadLetter.BigTransaction, WorkloadLetter.Update,
        ];
        Workload workload = Workload.Of(seed, letters, new WorkloadOptions { PageBytes = PageBytes, Keys = 48 });
        var disk = new SimDisk(seed);
        var subject = new EngineSubject(isCold: true);
        ICrashSession session = subject.Open(disk);
        var random = new SimRandom(SimRandom.Mix(seed, 6));
        HashSet<long> before = [];
        HashSet<long> rewritten = [];
        disk.OnCall = (call, phase) => Note(call, phase, before);
        foreach (WorkloadStep step in workload.Steps)
        {
            // Everything is read, so that every page was verified before it is rewritten.
            _ = ContentOf(session);
            Play(session, step);
        }

        disk.OnCall = (call, phase) => Note(call, phase, rewritten);
        session.Checkpoint();
        disk.OnCall = null;
        session.Commit(new WorkloadTransaction([new WorkloadChange([1], [1])]));

        // Read from a copy: in this session nothing is verified again after the checkpoint before it is damaged.
        SimSnapshot whole = disk.Capture();
        string expected = OfCopy(whole.Kill(), ContentOf);
        long[] pages = [.. rewritten.Order()];
        for (int i = 0; i < DamagesOfEachRun; i++)
        {
            long page = pages[random.Below(pages.Length)];
            long other = pages[random.Below(pages.Length)];
            int at = random.Below(PageBytes);
            void Harm(SimDisk target) => Damage(target, page, i % 3 == 0 ? other : -1, at);
            string where = $"seed {seed}: page {page} damaged at byte {at}" + (i % 3 == 0 ? $" by page {other}" : string.Empty);
            statistics.Tried++;
            OpenDamaged(whole.Kill(), Harm, expected, statistics, seed, where);
        }

        rewritten.IntersectWith(before);
        // With pending trees, the commit above merged entries into pages that were verified for it.
        if (!EngineSubject.HasPendingTrees && DamageRow(disk, OfCopy(whole.Kill(), ValuesOf), rewritten, random) is { } damaged)
        {
            Require(session, expected, statistics, seed, $"seed {seed}: {damaged}, while the database was open");
        }

        disk.PowerOff();
        session.Abandon();
    }

    private static void Play(ICrashSession session, WorkloadStep step)
    {
        if (step.Transactions.Count > 0)
        {
            session.Commit(step.Transactions[0]);
        }
        else
        {
            session.Checkpoint();
        }
    }

    private static void Note(SimCall call, SimPhase phase, HashSet<long> rewritten)
    {
        bool isPages = call.Kind == SimCallKind.Write && call.Path == EngineSubject.DataFile && call.Offset >= 2 * PageBytes;
        for (long at = call.Offset; isPages && phase == SimPhase.After && at < call.Offset + call.Length; at += PageBytes)
        {
            rewritten.Add(at / PageBytes);
        }
    }

    /// <summary>
    /// Flips a bit of a row's value wherever it stands in pages that were read and then rewritten, so that it is not a dead byte that is
    /// hit. Null when no row stands there.
    /// </summary>
    private static string? DamageRow(SimDisk disk, List<byte[]> values, HashSet<long> pages, SimRandom random)
    {
        const int WordBytes = 8;
        byte[] file = disk.Peek(EngineSubject.DataFile)!;
        long[][] places =
        [
            .. values.Where(static value => value.Length >= WordBytes)
                .Select(value => pages.Order().SelectMany(page => PlacesOf(value.AsSpan(0, WordBytes), file, page)).ToArray())
                .Where(static found => found.Length > 0),
        ];
        if (places.Length == 0)
        {
            return null;
        }

        long[] chosen = places[random.Below(places.Length)];
        foreach (long at in chosen)
        {
            disk.Damage(EngineSubject.DataFile, at, 0x10);
        }

        return $"a value damaged at {string.Join(", ", chosen.Select(static at => $"byte {at % PageBytes} of page {at / PageBytes}"))}";
    }

    private static List<long> PlacesOf(ReadOnlySpan<byte> word, byte[] file, long page)
    {
        List<long> places = [];
        ReadOnlySpan<byte> bytes = file.AsSpan((int)page * PageBytes, PageBytes);
        for (int at = 0; bytes[at..].IndexOf(word) is >= 0 and var next; at += next + 1)
        {
            places.Add((page * PageBytes) + at + next);
        }

        return places;
    }

    private static void Damage(SimDisk disk, long page, long other, int at)
    {
        byte[] file = disk.Peek(EngineSubject.DataFile)!;
        if (other < 0)
        {
            disk.Damage(EngineSubject.DataFile, (page * PageBytes) + at, 0x10);
            return;
        }

        for (int i = 0; i < PageBytes; i++)
        {
            byte difference = (byte)(file[(page * PageBytes) + i] ^ file[(other * PageBytes) + i]);
            if (difference != 0)
            {
                disk.Damage(EngineSubject.DataFile, (page * PageBytes) + i, difference);
            }
        }
    }

    private static void OpenDamaged(
        SimDisk disk, Action<SimDisk> harm, string expected, CrashStatistics statistics, ulong seed, string where)
    {
        harm(disk);
        statistics.Opens++;
        ICrashSession session;
        try
        {
            session = new EngineSubject().Open(disk);
        }
        catch (StorageException)
        {
            statistics.Damaged++;
            return;
        }

        Require(session, expected, statistics, seed, where);
        disk.PowerOff();
        session.Abandon();
    }

    private static void Require(ICrashSession session, string expected, CrashStatistics statistics, ulong seed, string where)
    {
        string found;
        try
        {
            found = ContentOf(session);
        }
        catch (StorageCorruptException)
        {
            statistics.Damaged++;
            return;
        }
        catch (Exception error) when (error is not CrashFailureException)
        {
            string what = $"O3: reading failed with something else than a report of damage; {where}";
            throw new CrashFailureException(what, error) { Oracle = "O3", Seed = seed };
        }

        if (found != expected)
        {
            throw new CrashFailureException($"O3: damaged content was given out; {where}") { Oracle = "O3", Seed = seed };
        }
    }

    private static T OfCopy<T>(SimDisk disk, Func<ICrashSession, T> look)
    {
        ICrashSession session = new EngineSubject().Open(disk);
        T seen = look(session);
        disk.PowerOff();
        session.Abandon();
        return seen;
    }

    private static List<byte[]> ValuesOf(ICrashSession session)
    {
        List<byte[]> values = [];
        session.VisitContent((_, value) => values.Add(value.ToArray()));
        return values;
    }

    private static string ContentOf(ICrashSession session)
    {
        var rows = new System.Text.StringBuilder();
        session.VisitContent((key, value) =>
            rows.Append(Convert.ToHexString(key)).Append('=').Append(Convert.ToHexString(value)).Append(';'));
        return rows.ToString();
    }
}
