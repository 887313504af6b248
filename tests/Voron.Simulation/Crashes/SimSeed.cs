using System.Globalization;

namespace Voron.Simulation.Crashes;

/// <summary>The seeds of a test: a fixed list, or the one seed of the environment variable VORON_SEED, to repeat a failure.</summary>
internal static class SimSeed
{
    internal const string Variable = "VORON_SEED";

    internal static IEnumerable<ulong> List(int count)
    {
        string? given = Environment.GetEnvironmentVariable(Variable);
        if (!string.IsNullOrEmpty(given))
        {
            return [ulong.Parse(given, CultureInfo.InvariantCulture)];
        }

        return Enumerable.Range(1, count).Select(number => (ulong)number);
    }
}
