using System.Diagnostics;
using System.Text.Json;
using Voron.Storage;

namespace Voron.Bench.History;

/// <summary>A process of its own that reads a database which another one writes, and notes when it sees each transaction.</summary>
/// <param name="Folder">The folder of the database.</param>
/// <param name="After">The transaction before the first one that is noted.</param>
/// <param name="Transactions">How many are noted.</param>
internal sealed record OutsideReader(string Folder, long After, int Transactions)
{
    /// <summary>Holds the process's work, as JSON.</summary>
    internal const string Variable = "VORON_BENCH_READER";

    /// <summary>Between two looks: of the 5 ms within which a commit has to be seen, the device and the replay need some as well.</summary>
    private const int RestMilliseconds = 2;

    internal static void Run(string order) => JsonSerializer.Deserialize<OutsideReader>(order)!.Follow();

    /// <summary>Starts it, and returns when it has opened the database.</summary>
    internal Process Start()
    {
        Process process = Process.Start(OwnProgram.StartOf(OwnProgram.Command, Variable, JsonSerializer.Serialize(this)))!;
        Read<long>(process);
        return process;
    }

    /// <summary>Returns when each transaction was seen, in ticks of <see cref="Stopwatch"/>, once all were, and ends the process.</summary>
    internal static long[] End(Process process)
    {
        using (process)
        {
            long[] seen = Read<long[]>(process);
            process.WaitForExit();
            return seen;
        }
    }

    private static T Read<T>(Process process) =>
        JsonSerializer.Deserialize<T>(process.StandardOutput.ReadLine() ?? throw new VerificationException("The reader has ended."))!;

    private void Follow()
    {
        using StorageEnvironment environment = StorageEnvironment.Open(Folder, new StorageOptions { ReadOnly = true });
        Console.WriteLine(JsonSerializer.Serialize(After));
        long[] seen = new long[Transactions];
        for (int count = 0; count < Transactions;)
        {
            Thread.Sleep(RestMilliseconds);
            environment.Refresh();
            using ReadTransaction read = environment.BeginRead();
            long now = Stopwatch.GetTimestamp();
            int until = (int)Math.Clamp(read.TransactionId - After, count, Transactions);
            seen.AsSpan(count..until).Fill(now);
            count = until;
        }

        Console.WriteLine(JsonSerializer.Serialize(seen));
    }
}
