using System.Diagnostics;
using Voron.Bench.Cold;
using Voron.Bench.History;
using Voron.Bench.Io;
using Voron.Bench.Load;
using Voron.Bench.Replicas;

namespace Voron.Bench;

/// <summary>
/// This program started again, as a process that does one piece of work alone: it can be traced, killed or held in a control group, and its
/// memory is that of one store. What it has to do is in a variable of its environment.
/// </summary>
internal static class OwnProgram
{
    private static readonly (string Variable, Action<string> Run)[] Orders =
    [
        (IoChild.Variable, IoChild.Run),
        (SustainedFill.Variable, SustainedFill.Run),
        (ColdPhase.Variable, ColdPhase.Run),
        (DoomedLeader.Variable, DoomedLeader.Run),
        (OutsideReader.Variable, OutsideReader.Run),
    ];

    /// <summary>The words that start it. A test runs in another program than this one, and so does what <c>dotnet run</c> starts.</summary>
    internal static IReadOnlyList<string> Command { get; } = FindCommand();

    /// <summary>Does what the environment of this process asks for; false when a user started it.</summary>
    internal static bool TryRunOrder()
    {
        foreach ((string variable, Action<string> run) in Orders)
        {
            if (Environment.GetEnvironmentVariable(variable) is { Length: > 0 } order)
            {
                run(order);
                return true;
            }
        }

        return false;
    }

    /// <summary>How a process is started whose output this one reads.</summary>
    /// <param name="command">The program and its arguments.</param>
    /// <param name="variable">The variable that tells it what to do.</param>
    /// <param name="order">What the variable holds.</param>
    internal static ProcessStartInfo StartOf(IReadOnlyList<string> command, string variable, string order) =>
        new(command[0], command.Skip(1)) { RedirectStandardOutput = true, Environment = { [variable] = order } };

    private static string[] FindCommand()
    {
        string assembly = typeof(OwnProgram).Assembly.Location;
        string running = Environment.ProcessPath!;

        // Only Windows has an extension for programs; elsewhere the last part of a name with dots would pass for one.
        string name = Path.GetFileName(running);
        name = OperatingSystem.IsWindows() ? Path.GetFileNameWithoutExtension(name) : name;
        return name == Path.GetFileNameWithoutExtension(assembly) ? [running]
            : name == "dotnet" ? [running, assembly]
            : ["dotnet", assembly];
    }
}
