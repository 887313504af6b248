using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;

namespace Voron.Bench.Cold;

/// <summary>
/// One kind of work on a tree that was filled before, in a process of its own: only a process that is started in a control group has all of
/// its memory counted there.
/// </summary>
/// <param name="Engine">Which store.</param>
/// <param name="Folder">The database's folder.</param>
/// <param name="Work">What is done.</param>
/// <param name="Items">Items of the tree.</param>
/// <param name="PutsPerTransaction">Puts of each transaction.</param>
/// <param name="Seconds">How long gets and puts run; a scan runs to its end.</param>
/// <param name="Seed">Seed of keys and values.</param>
internal sealed record ColdPhase(
    string Engine, string Folder, ColdWork Work, int Items, int PutsPerTransaction, double Seconds, ulong Seed)
{
    /// <summary>Holds the process's work, as JSON.</summary>
    internal const string Variable = "VORON_BENCH_COLD";

    /// <summary>How the line begins that holds the row.</summary>
    private const string RowWord = "row ";

    /// <summary>Gets that are prepared together, outside of the time.</summary>
    private const int GetsAtOnce = 500;

    private const int MostPerSecond = 200_000;

    private string Name => Work switch
    {
        ColdWork.Get => "random get",
        ColdWork.Put => $"random put, {PutsPerTransaction:N0} a tx",
        _ => "whole scan",
    };

    internal static void Run(string order) => JsonSerializer.Deserialize<ColdPhase>(order)!.Run();

    /// <summary>A row without figures.</summary>
    internal Row Skip(string because) => Row.Skipped(Name, Engine, "sync", because);

    /// <summary>
    /// Runs it in a process of its own; null when that failed. One that is not over in time is killed: a scan that reads every page many
    /// times would take hours.
    /// </summary>
    internal Row? RunApart(MemoryGroup? group, TimeSpan cap, BlockDevice device, out int exitCode)
    {
        long readBefore = device.BytesRead;
        IReadOnlyList<string> command = group?.Enter(OwnProgram.Command) ?? OwnProgram.Command;
        using Process process = Process.Start(OwnProgram.StartOf(command, Variable, JsonSerializer.Serialize(this)))!;
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        bool isOver = process.WaitForExit(cap);
        if (!isOver)
        {
            process.Kill();
            process.WaitForExit();
        }

        exitCode = process.ExitCode;
        if (!isOver)
        {
            return Skip(string.Create(
                CultureInfo.InvariantCulture,
                $"not over after {cap.TotalSeconds:N0} s, in which {(device.BytesRead - readBefore) >> 20:N0} MiB were read"));
        }

        string? line = output.GetAwaiter().GetResult().Split('\n')
            .FirstOrDefault(static line => line.StartsWith(RowWord, StringComparison.Ordinal));
        return line is null ? null : JsonSerializer.Deserialize<Row>(line.AsSpan(RowWord.Length));
    }

    private void Run()
    {
        IStore store = StoreKinds.Find(Engine).Open(Folder);
        using Meter meter = new(Folder);
        switch (Work)
        {
            case ColdWork.Get:
                Get(store, meter);
                break;
            case ColdWork.Put:
                Put(store, meter);
                break;
            default:
                meter.Stop(Demands.Count("whole scan", store.Scan().Entries, Items));
                break;
        }

        meter.Close(store);
        Console.WriteLine(RowWord + JsonSerializer.Serialize(meter.ToMeasured().ToRow(Name, Engine)));
    }

    private void Get(IStore store, Meter meter)
    {
        ItemSequence sequence = new(Seed);
        RandomBytes random = new(Seed + 1);
        Latencies latencies = new((int)(Seconds * MostPerSecond));
        int[] numbers = new int[GetsAtOnce];
        long start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start).TotalSeconds < Seconds && latencies.Count + GetsAtOnce <= Seconds * MostPerSecond)
        {
            for (int place = 0; place < numbers.Length; place++)
            {
                numbers[place] = random.Below(Items);
            }

            DataSet asked = sequence.Keep(numbers);
            for (int place = 0; place < numbers.Length; place++)
            {
                Questions question = new(asked, [place]);
                long begun = Stopwatch.GetTimestamp();
                long met = store.Get(question);
                latencies.Add(begun, Stopwatch.GetTimestamp());
                Demands.Count("random get", met, 1);
            }
        }

        meter.Stop(latencies.Count, latencies);
    }

    private void Put(IStore store, Meter meter)
    {
        ItemSequence sequence = new(Seed);
        Latencies latencies = new((int)(Seconds * MostPerSecond));
        int done = 0;
        using (IStoreWriter writer = store.OpenWriter())
        {
            long start = Stopwatch.GetTimestamp();
            while (Stopwatch.GetElapsedTime(start).TotalSeconds < Seconds)
            {
                long begun = Stopwatch.GetTimestamp();
                sequence.Put(writer, Items + done, PutsPerTransaction);
                latencies.Add(begun, Stopwatch.GetTimestamp());
                done += PutsPerTransaction;
            }

            writer.Finish();
        }

        meter.Stop(done, latencies);
    }
}
