using System.Diagnostics.CodeAnalysis;
using Voron.Simulation.Fuzz;
using Xunit.Runner.InProc.SystemConsole;

namespace Voron.Simulation;

/// <summary>This program is the tests' runner, as the test framework would have made it, or a worker that tests have started.</summary>
[ExcludeFromCodeCoverage]
internal static class EntryPoint
{
    private static async Task<int> Main(string[] arguments)
    {
        if (arguments is [FuzzWorker.Word, .. string[] rest])
        {
            return FuzzWorker.Run(rest);
        }

        return await ConsoleRunner.Run(arguments);
    }
}
