using System.Diagnostics;
using System.Text.Json;
using Voron.Storage.Replication;

namespace Voron.Bench.Replicas;

/// <summary>A leader in a process of its own, which writes until it is killed.</summary>
/// <param name="Kind">Its log.</param>
/// <param name="Url">The servers of the log.</param>
/// <param name="Log">The name of the log.</param>
/// <param name="Folder">The folder of its database.</param>
internal sealed record DoomedLeader(LogKind Kind, string Url, string Log, string Folder)
{
    /// <summary>Holds the process's work, as JSON.</summary>
    internal const string Variable = "VORON_BENCH_LEADER";

    private const string LeadsWord = "leads";
    private const int WritesBefore = 100;

    internal static void Run(string order) => JsonSerializer.Deserialize<DoomedLeader>(order)!.RunAsync().GetAwaiter().GetResult();

    /// <summary>Starts it, and returns when it has led for some writes.</summary>
    internal Process Start()
    {
        Process process = Process.Start(OwnProgram.StartOf(OwnProgram.Command, Variable, JsonSerializer.Serialize(this)))!;
        string? line;
        do
        {
            line = process.StandardOutput.ReadLine();
        }
        while (line is not (null or LeadsWord));
        return line is null ? throw new VerificationException("The leader has ended.") : process;
    }

    private async Task RunAsync()
    {
        IReplicatedLog log = await LogServers.OpenAsync(Kind, Url, Log);
        await using Replica node = await Replica.OpenAsync(Folder, log, new ReplicaOptions { NodeName = "doomed" });
        await ReplicaWork.LeadsAsync(node);
        for (int i = 0; ; i++)
        {
            await ReplicaWork.PutAsync(node.Environment, i % WritesBefore);
            if (i == WritesBefore)
            {
                Console.WriteLine(LeadsWord);
            }
        }
    }
}
