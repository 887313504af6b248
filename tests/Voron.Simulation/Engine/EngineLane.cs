using System.Globalization;
using Voron.Simulation.Crashes;

namespace Voron.Simulation.Engine;

/// <summary>
/// One way to crash the engine: a name, its share of all states that are to be tried, and how to try them. A run throws the first broken
/// promise. The same lanes judge the engine and, in the build that can break rules, its mutants; no lane knows of any mutant. Lanes that
/// try all of a kind have a most that they can try.
/// </summary>
internal sealed record EngineLane(string Name, double Share, Func<long, CrashStatistics> Run, long Most = long.MaxValue)
{
    /// <summary>Whether it counts states of power cuts; other lanes count runs of another kind.</summary>
    internal bool CountsStates { get; init; } = true;

    /// <summary>How many distinct states all lanes together try; more of them for a long run.</summary>
    internal const string Variable = "VORON_STATES";

    internal static long States { get; } = Environment.GetEnvironmentVariable(Variable) is { Length: > 0 } given
        ? long.Parse(given, CultureInfo.InvariantCulture)
        : 10_000;

    internal long OwnStates(long all) => Math.Clamp((long)(Share * all), 1, Most);

    public override string ToString() => Name;
}
