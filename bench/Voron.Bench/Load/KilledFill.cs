using System.Diagnostics;
using System.Globalization;
using Voron.Storage;

namespace Voron.Bench.Load;

/// <summary>A second process of this program that fills a database without a checkpoint and is killed when all is acknowledged.</summary>
/// <param name="LastTransactionId">The last acknowledged transaction.</param>
/// <param name="JournalBytes">What it wrote to the commit journal.</param>
internal sealed record KilledFill(long LastTransactionId, long JournalBytes)
{
    private const string FolderVariable = "VORON_BENCH_FILL";

    /// <summary>No checkpoint before the end.</summary>
    internal static StorageOptions Options { get; } = new()
    {
        JournalSoftLimitBytes = 1L << 40, JournalHardLimitBytes = 1L << 41, MaxDirtyBytes = 1L << 40,
    };

    /// <summary>Whether this process is the second one.</summary>
    internal static bool IsWanted => Folder is { Length: > 0 };

    private static string? Folder => Environment.GetEnvironmentVariable(FolderVariable);

    /// <summary>Starts it, waits until it says what it has, and kills it.</summary>
    internal static KilledFill Run(string folder, int transactions, ulong seed)
    {
        string[] arguments =
        [
            "checkpoint", "--transactions", transactions.ToString(CultureInfo.InvariantCulture),
            "--seed", seed.ToString(CultureInfo.InvariantCulture),
        ];
        using Process process = Process.Start(OwnProgram.StartOf([.. OwnProgram.Command, .. arguments], FolderVariable, folder))!;
        string? line = process.StandardOutput.ReadLine();
        process.Kill();
        process.WaitForExit();
        return line?.Split(' ') is ["filled", { } last, { } bytes]
            ? new KilledFill(long.Parse(last, CultureInfo.InvariantCulture), long.Parse(bytes, CultureInfo.InvariantCulture))
            : throw new VerificationException("the process that was to be killed did not fill its database.");
    }

    /// <summary>What the second process does.</summary>
    internal static void FillAndWait(Arguments arguments)
    {
        FillWorkload workload = new(KeyOrder.Random, CommitMode.Durable, arguments.Transactions);
        StorageEnvironment environment = StorageEnvironment.Open(Folder!, Options);
        Fill.RunAll(environment, workload, new DataSet(workload.Items, arguments.Seed));
        EnvironmentReport report = environment.GetReport();
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"filled {report.LastTransactionId} {report.JournalBytesWritten}"));
        Thread.Sleep(Timeout.Infinite);
        GC.KeepAlive(environment);
    }
}
