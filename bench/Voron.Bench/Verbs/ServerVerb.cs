using System.Globalization;
using System.Reflection;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;
using Voron.Bench.Servers;
using Voron.Storage;

namespace Voron.Bench.Verbs;

/// <summary>
/// The sample server in a process of its own, on this machine's loopback: connections that put one small document after another, each
/// answered when it is on the device.
/// </summary>
internal static class ServerVerb
{
    private const string Collection = "load";
    private const int Connections = 64;
    private const int Documents = 200_000;
    private const int WarmUp = 100;

    private static readonly string ServerProgram = typeof(ServerVerb).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
        .Single(static one => one.Key == "SampleServer").Value!;

    internal static int Run(Arguments arguments) => GroupRunner.Run(arguments, Groups);

    internal static IEnumerable<Group> Groups(BenchRun run) => [new Group("server", "small durable puts over HTTP", Measure)];

    private static List<Row> Measure(BenchRun run)
    {
        Contender contender = new(
            string.Create(CultureInfo.InvariantCulture, $"{Connections} connections, one put"),
            OurStore.Name,
            "sync",
            "WriteAsync, answered when durable (goal 20,000/s)",
            () => Load(run))
        {
            Missing = File.Exists(ServerProgram) ? null : "dotnet build -c Release samples/Server",
        };
        return new Contest(run, ProbeSize.OnePut with { Writes = 500 }).Run([contender], run.Arguments.Rounds);
    }

    private static Measured Load(BenchRun run)
    {
        int each = run.Scaled(Documents, Connections) / Connections;
        string folder = run.Workspace.NextDatabase();
        using ServerProcess server = ServerProcess.Start(ServerProgram, folder, "--Logging:LogLevel:Default", "Warning");
        HttpLoad load = new(server.Address, Collection, Connections);
        Finish(load, WarmUp, null);
        Latencies[] latencies = [.. Enumerable.Range(0, Connections).Select(_ => new Latencies(each))];
        using Meter meter = new();
        Finish(load, each, latencies);
        meter.Stop(each * Connections, Latencies.Together(latencies));
        if (server.Stop() != 0)
        {
            throw new VerificationException($"The server did not end well. It said: {server.Said}");
        }

        Verify(folder, load.Acknowledged);
        Workspace.Remove(folder);

        // Processor time and memory would be the client's alone; both share the machine.
        return meter.ToMeasured() with { CpuSeconds = null, ManagedBytes = null, PeakBytes = null };
    }

    private static void Finish(HttpLoad load, int each, Latencies[]? latencies)
    {
        if (!load.RunAsync(each, latencies).GetAwaiter().GetResult())
        {
            throw new VerificationException("The server went away.");
        }
    }

    private static void Verify(string folder, long acknowledged)
    {
        using StorageEnvironment storage = StorageEnvironment.Open(folder);
        using ReadTransaction read = storage.BeginRead();
        Demands.Count("server, documents", read.OpenTree(Collection).Count, acknowledged);
    }
}
