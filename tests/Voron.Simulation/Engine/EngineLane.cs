using System.Globalization;
using Voron.Simulation.Crashes;

namespace Voron.Simulation.Engine;

/// <summary>
/// One way to crash the engine: a name, its share of all states that are to be counted, and how to find them. A run throws the first broken
/// promise. The same lanes judge the engine and, in the build that can break rules, its mutants; no lane knows of any mutant. Lanes that
/// try all of a kind have a most that they can try.
/// </summary>
internal sealed record EngineLane(string Name, double Share, Func<long, CrashStatistics> Run, long Most = long.MaxValue)
{
    /// <summary>It goes through a fixed list of workloads, so its share only says how much of each is tried.</summary>
    internal bool IsExhaustive { get; init; }

    /// <summary>Whether it counts states of power cuts; other lanes count runs of another kind.</summary>
    internal bool CountsStates { get; init; } = true;

    /// <summary>How many states all lanes together count; more of them for a long run.</summary>
    internal static long States { get; } = Environment.GetEnvironmentVariable(SimSeed.BudgetVariable) is { Length: > 0 } given
        ? long.Parse(given, CultureInfo.InvariantCulture)
        : 6_000;

    /// <summary>The same lane over an engine that keeps the newest entries of each tree in a pending tree.</summary>
    internal EngineLane WithPendingTrees() => this with
    {
        Name = $"{Name} pending", Share = Share / 3, Run = states => EngineSubject.WithPendingTrees(() => Run(states)),
    };

    /// <summary>The same, with lower layers of those pending trees.</summary>
    internal EngineLane WithLayers() => this with
    {
        Name = $"{Name} layers", Share = Share / 6, Run = states => EngineSubject.WithLayers(() => Run(states)),
    };

    /// <summary>The same, with trees whose puts look no key up.</summary>
    internal EngineLane WithBlindPuts() => this with
    {
        Name = $"{Name} blind", Share = Share / 8, Run = states => EngineSubject.WithBlindPuts(() => Run(states)),
    };

    internal long OwnStates(long all) => Math.Clamp((long)(Share * all), 1, Most);

    public override string ToString() => Name;
}
