using Voron.Simulation.Crashes;
using Voron.Simulation.Engine;

namespace Voron.Simulation.Schedules;

/// <summary>
/// Cuts the power inside a schedule: copies the disk at some moments, with what had been promised by then, while the run goes on; later
/// opens what cuts and kills leave of the copies.
/// </summary>
/// <param name="disk">The disk of the run.</param>
/// <param name="bounds">What is promised now.</param>
internal abstract class ScheduleCuts(SimDisk disk, Func<CrashBounds> bounds)
{
    /// <summary>A run and the opens of its copies have the same limits.</summary>
    internal const long MaxDirtyBytes = 1 << 20;

    private long _version = -1;
    private CrashBounds _lastBounds;

    internal IEnumerable<ScheduleCut> Taken => Copies.Select(static copy => copy.Cut).OrderBy(static cut => cut.Moment);

    /// <summary>Moments so far.</summary>
    protected long Moment { get; private set; }

    protected List<(ScheduleCut Cut, SimSnapshot Snapshot, CrashBounds Bounds)> Copies { get; } = [];

    protected CrashBounds Bounds => bounds();

    /// <summary>A moment has come: before a decision, or within a call of the disk.</summary>
    internal void Note()
    {
        Moment++;
        Look();
    }

    protected abstract void Look();

    /// <summary>Opens what a cut after the end leaves. Gives the number of opens.</summary>
    internal virtual int JudgeEnd(Model model, long least)
    {
        Open(disk.Cut(CutChoice.None), model, least, model.LastTransaction, "a power cut after the end");
        return 1;
    }

    /// <summary>Whether a cut now could leave something that one at the last such moment could not.</summary>
    protected bool HasChanged()
    {
        CrashBounds now = bounds();
        if (disk.StateVersion == _version && now == _lastBounds)
        {
            return false;
        }

        _version = disk.StateVersion;
        _lastBounds = now;
        return true;
    }

    protected SimSnapshot Capture() => disk.Capture();

    /// <summary>Opens what each cut and each kill leaves and holds it against what was promised. Gives the number of opens.</summary>
    internal int Judge(Model model)
    {
        int opens = 0;
        foreach ((ScheduleCut cut, SimSnapshot snapshot, CrashBounds bounds) in Copies)
        {
            string where = $"power cut {cut.Seed} at moment {cut.Moment}, {snapshot.Atoms.Length} atoms pending; bounds {bounds}";
            CutChoice choice = ChoiceOf(cut.Seed);
            Open(snapshot.Cut(choice), model, bounds.LeastAfterCut, bounds.Most, $"{where}: {choice}");
            opens++;
            if (snapshot.Atoms.Length > 0)
            {
                Open(snapshot.Kill(), model, bounds.LeastAfterKill, bounds.Most, $"{where}: kill");
                opens++;
            }
        }

        return opens;
    }

    internal static void Open(SimDisk disk, Model model, long least, long most, string where)
    {
        ICrashSession session;
        try
        {
            session = new EngineSubject(maxDirtyBytes: MaxDirtyBytes).Open(disk);
        }
        catch (Exception error)
        {
            throw Failure("O1", "it does not open", where, error);
        }

        long recovered = session.LastTransactionId;
        if (recovered < least || recovered > most)
        {
            throw Failure("O2", $"recovered to transaction {recovered}, promised were {least}, started {most}", where);
        }

        try
        {
            if (CrashRun.Difference(model.At(recovered), session.VisitContent) is { } difference)
            {
                throw Failure("O3", $"recovered to transaction {recovered}: {difference}", where);
            }

            session.Check();
        }
        catch (Exception error) when (error is not CrashFailureException)
        {
            throw Failure("O4", $"recovered to transaction {recovered}, and then it could not be read or is unsound", where, error);
        }

        disk.PowerOff();
        session.Abandon();
    }

    internal static CrashFailureException Failure(string oracle, string what, string where, Exception? inner = null) =>
        new($"{oracle}: {what}{Environment.NewLine}{where}{(inner is null ? string.Empty : Environment.NewLine + inner)}", inner)
        {
            Oracle = oracle,
        };

    private static CutChoice ChoiceOf(ulong seed) => (seed % 5) switch
    {
        0 => CutChoice.None,
        1 => CutChoice.All,
        2 => CutChoice.Random(seed, 4096),
        3 => CutChoice.Groups(SimRandom.Mix(seed, 3)),
        _ => CutChoice.Random(seed),
    };
}
