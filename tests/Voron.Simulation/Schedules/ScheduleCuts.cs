using Voron.Simulation.Crashes;
using Voron.Simulation.Engine;

namespace Voron.Simulation.Schedules;

/// <summary>
/// Cuts the power inside a schedule: copies the disk at some moments, with what had been promised by then, while the run goes on; later
/// opens what cuts and kills leave of the copies. The moments are those of a tape or, in a new run, chosen by chance among all at which a
/// cut could leave something new.
/// </summary>
internal sealed class ScheduleCuts
{
    private readonly SimDisk _disk;
    private readonly Func<CrashBounds> _bounds;
    private readonly SimRandom? _random;
    private readonly Dictionary<long, ulong> _wanted = [];
    private readonly (ScheduleCut Cut, SimSnapshot Snapshot, CrashBounds Bounds)[] _taken;
    private long _moment;
    private long _candidates;
    private long _version = -1;
    private CrashBounds _lastBounds;

    internal ScheduleCuts(SimDisk disk, Func<CrashBounds> bounds, IReadOnlyList<ScheduleCut>? given, int count, ulong seed)
    {
        _disk = disk;
        _bounds = bounds;
        _random = given is null ? new SimRandom(SimRandom.Mix(seed, 0xC07)) : null;
        _taken = new (ScheduleCut, SimSnapshot, CrashBounds)[given?.Count ?? count];
        foreach (ScheduleCut cut in given ?? [])
        {
            _wanted[cut.Moment] = cut.Seed;
        }
    }

    internal IEnumerable<ScheduleCut> Taken => _taken.Take(Count).Select(static taken => taken.Cut).OrderBy(static cut => cut.Moment);

    private int Count { get; set; }

    /// <summary>A moment has come: before a decision, or within a call of the disk.</summary>
    internal void Note()
    {
        _moment++;
        if (_random is null)
        {
            if (_wanted.TryGetValue(_moment, out ulong seed))
            {
                _taken[Count++] = (new ScheduleCut(_moment, seed), _disk.Capture(), _bounds());
            }

            return;
        }

        CrashBounds bounds = _bounds();
        if (_disk.StateVersion == _version && bounds == _lastBounds)
        {
            return;
        }

        _version = _disk.StateVersion;
        _lastBounds = bounds;
        long place = _candidates < _taken.Length ? _candidates : (long)(_random.Next() % (ulong)(_candidates + 1));
        _candidates++;
        if (place < _taken.Length)
        {
            Count = (int)Math.Max(Count, place + 1);
            _taken[place] = (new ScheduleCut(_moment, _random.Next() % 10_000), _disk.Capture(), bounds);
        }
    }

    /// <summary>Opens what each cut and each kill leaves and holds it against what was promised. Gives the number of opens.</summary>
    internal int Judge(Model model)
    {
        int opens = 0;
        foreach ((ScheduleCut cut, SimSnapshot snapshot, CrashBounds bounds) in _taken.Take(Count))
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
            session = new EngineSubject().Open(disk);
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
