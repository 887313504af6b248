using Voron.Simulation.Crashes;

namespace Voron.Simulation.Schedules;

/// <summary>So many cuts, chosen by chance among all moments at which one could leave something new.</summary>
internal sealed class ChanceCuts(SimDisk disk, Func<CrashBounds> bounds, int count, ulong seed) : ScheduleCuts(disk, bounds)
{
    private readonly SimRandom _random = new(SimRandom.Mix(seed, 0xC07));
    private long _candidates;

    protected override void Look()
    {
        if (!HasChanged())
        {
            return;
        }

        long place = _candidates < count ? _candidates : (long)(_random.Next() % (ulong)(_candidates + 1));
        _candidates++;
        if (place < count)
        {
            if (place == Copies.Count)
            {
                Copies.Add(default);
            }

            Copies[(int)place] = (new ScheduleCut(Moment, _random.Next() % 10_000), Capture(), Bounds);
        }
    }
}
