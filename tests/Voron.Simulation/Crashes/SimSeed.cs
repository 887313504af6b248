using System.Globalization;

namespace Voron.Simulation.Crashes;

/// <summary>The seeds of a test: a fixed list, or the one seed of the environment variable VORON_SEED, to repeat a failure.</summary>
internal static class SimSeed
{
    internal const string Variable = "VORON_SEED";

    /// <summary>How many states all lanes together count.</summary>
    internal const string BudgetVariable = "VORON_STATES";

    /// <summary>Whether one run is being repeated; what a test expects of the sum of its runs does not hold then.</summary>
    internal static bool IsGiven => Only is not null || !string.IsNullOrEmpty(Environment.GetEnvironmentVariable(Variable));

    /// <summary>The one seed of all lists, for a test that runs alone and repeats one run of a lane. Null in every other test.</summary>
    internal static ulong? Only { get; set; }

    private static ulong Given => ulong.Parse(Environment.GetEnvironmentVariable(Variable)!, CultureInfo.InvariantCulture);

    /// <summary>Added to every seed of a list, for a long run that is to try other ones. Zero in every test.</summary>
    internal static ulong Offset { get; set; }

    /// <summary>
    /// The command that repeats a run of one seed, with the budget that this process was given, since what is tried follows from it.
    /// </summary>
    internal static string CommandFor(ulong seed, string test)
    {
        string? states = Environment.GetEnvironmentVariable(BudgetVariable);
        string budget = string.IsNullOrEmpty(states) ? string.Empty : $"{BudgetVariable}={states} ";
        return $"{budget}{Variable}={seed} dotnet test tests/Voron.Simulation -c Release --filter FullyQualifiedName~{test}";
    }

    internal static IEnumerable<ulong> List(int count) => IsGiven
        ? [Only ?? Given]
        : Enumerable.Range(1, count).Select(number => Offset + (ulong)number);

    /// <summary>The given seed, or any, for what no seed makes the same again: real processes and devices.</summary>
    internal static ulong GivenOrAny() => IsGiven ? Only ?? Given : (ulong)Random.Shared.Next();
}
