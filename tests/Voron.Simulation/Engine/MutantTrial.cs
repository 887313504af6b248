#if MUTANTS
using System.Globalization;
using Voron.Simulation.Crashes;
using Voron.Storage;

namespace Voron.Simulation.Engine;

/// <summary>
/// Breaks one rule of the engine and looks whether lanes notice. The seeds at which each rule was noticed the last time stand in
/// <c>mutants.txt</c> and are tried first; where they show nothing any more, all lanes are searched from their first seed. Either way the
/// healthy engine must pass the very same seed of the same lane. Lanes know nothing of rules, and the list names none in return but by
/// what came out.
/// </summary>
internal sealed class MutantTrial(string rule, IReadOnlyList<EngineLane> lanes, Action<string> say)
{
    private const long States = 4000;

    private static readonly Lazy<IReadOnlyList<Sighting>> Known = new(() =>
        [.. File.ReadLines(Path.Combine(AppContext.BaseDirectory, "Engine", "mutants.txt"))
            .Where(static line => line.Length > 0 && line[0] != '#').Select(Sighting.Parse)]);

    /// <summary>Seeds that the healthy engine has passed in this process, by lane.</summary>
    private static readonly HashSet<(string Lane, ulong Seed)> Passed = [];

    private readonly long _start = TimeProvider.System.GetTimestamp();

    /// <summary>Whether a lane noticed.</summary>
    internal bool Run()
    {
        foreach (Sighting known in Known.Value.Where(known => known.Rule == rule))
        {
            EngineLane? lane = lanes.FirstOrDefault(lane => lane.Name == known.Lane);
            if (lane is not null && Failure(rule, lane, known.Seed) is { } failure)
            {
                Tell(lane, known.Seed, failure);
                return true;
            }
        }

        foreach ((EngineLane lane, long states) in Search())
        {
            if (Failure(rule, lane, seed: null, states) is { } failure)
            {
                Tell(lane, failure.Seed, failure);
                say($"Not where it was seen the last time. For mutants.txt: {new Sighting(rule, failure.Seed, lane.Name)}");
                return true;
            }
        }

        return false;
    }

    /// <summary>A little of every lane first, then more of each: what a lane is made for shows at its first seeds.</summary>
    private IEnumerable<(EngineLane Lane, long States)> Search() =>
        from states in (long[])[States / 20, States / 4, States]
        from lane in lanes
        where !lane.IsExhaustive || states == States
        select (lane, states);

    private static CrashFailureException? Failure(string? broken, EngineLane lane, ulong? seed, long states = States)
    {
        Mutant.Broken = broken;
        SimSeed.Only = seed;
        try
        {
            lane.Run(lane.OwnStates(states));
            return null;
        }
        catch (CrashFailureException failure)
        {
            return failure;
        }
        finally
        {
            SimSeed.Only = null;
            Mutant.Broken = null;
        }
    }

    private void Tell(EngineLane lane, ulong seed, CrashFailureException failure)
    {
        string took = $"{TimeProvider.System.GetElapsedTime(_start).TotalSeconds:F1} s";
        string lines = string.Join(" | ", failure.Message.Split('\n').Take(2)).ReplaceLineEndings(string.Empty);
        if (Passed.Add((lane.Name, seed)) && Failure(null, lane, seed) is { } own)
        {
            throw own;
        }

        say($"{rule}: caught by lane {lane}, seed {seed}, after {took}; the healthy engine passes that seed: {lines}");
    }

    /// <summary>Where a rule was noticed. As text: <c>AcceptGap 3 journal</c>.</summary>
    private sealed record Sighting(string Rule, ulong Seed, string Lane)
    {
        internal static Sighting Parse(string line)
        {
            string[] words = line.Split(' ', 3);
            return new Sighting(words[0], ulong.Parse(words[1], CultureInfo.InvariantCulture), words[2]);
        }

        public override string ToString() => $"{Rule} {Seed} {Lane}";
    }
}
#endif
