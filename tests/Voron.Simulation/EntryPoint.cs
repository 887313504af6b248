using System.Diagnostics.CodeAnalysis;
using Voron.Simulation.Blocks;
using Voron.Simulation.Fuzz;
using Voron.Storage.IO;
using Xunit.Runner.InProc.SystemConsole;

namespace Voron.Simulation;

/// <summary>This program is the tests' runner, as the test framework would have made it, or a worker that tests have started.</summary>
[ExcludeFromCodeCoverage]
internal static class EntryPoint
{
    private static async Task<int> Main(string[] arguments)
    {
        AlignedBuffer.Source = new ReusedMemory();
        if (arguments is [FuzzWorker.Word, .. string[] rest])
        {
            return FuzzWorker.Run(rest);
        }

        if (arguments is [UnreadableFileTests.Word, .. string[] look])
        {
            return UnreadableFileTests.Run(look);
        }

        return await ConsoleRunner.Run(arguments);
    }
}
