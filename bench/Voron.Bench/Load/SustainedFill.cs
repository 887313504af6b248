using System.Diagnostics;
using System.IO.MemoryMappedFiles;
using System.Text.Json;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;
using Voron.Storage;

namespace Voron.Bench.Load;

/// <summary>
/// Random inserts, one durable transaction after another, in a process of their own: a line every few seconds, and a row at the end. A
/// process each, because memory that one engine has taken and kept would be seen in the lines of the next one.
/// </summary>
/// <param name="Engine">Which store.</param>
/// <param name="Folder">The database's folder.</param>
/// <param name="Items">Items to put.</param>
/// <param name="PutsPerTransaction">Puts of each transaction.</param>
/// <param name="MaxDirtyBytes">The setting of ours; null for its default.</param>
/// <param name="JournalSoftLimitBytes">The setting of ours; null for its default.</param>
/// <param name="CapSeconds">After so long no further transaction begins.</param>
/// <param name="Seed">Seed of keys and values.</param>
/// <param name="KillAfterSeconds">
/// The process is killed, its database open, after so long, or earlier when all is put; null for one that closes its database.
/// </param>
/// <param name="Load">What the puts are like.</param>
/// <param name="HasReads">Whether reads of ours are timed after the fill: as it is left, and when all is merged.</param>
/// <param name="Tree">The options of our tree.</param>
internal sealed record SustainedFill(
    string Engine, string Folder, int Items, int PutsPerTransaction, long? MaxDirtyBytes, long? JournalSoftLimitBytes,
    double CapSeconds, ulong Seed, double? KillAfterSeconds, PutLoad Load = PutLoad.Fill, bool HasReads = false,
    TreeOptions Tree = TreeOptions.None)
{
    /// <summary>Holds the process's work, as JSON.</summary>
    internal const string Variable = "VORON_BENCH_SUSTAIN";

    /// <summary>How the lines begin that the process writes.</summary>
    internal const string IntervalWord = "interval ";

    internal const string RowWord = "row ";

    internal const string ReadsWord = "reads ";

    private const double SecondsPerInterval = 5;

    /// <summary>Beside the database of a process that is killed: the number of items that it had committed.</summary>
    private string AcknowledgedPath => Folder + "-acknowledged";

    internal static void Run(string order) => JsonSerializer.Deserialize<SustainedFill>(order)!.Run();

    /// <summary>What the variable must hold.</summary>
    internal string ToText() => JsonSerializer.Serialize(this);

    private StorageOptions Options => new() { MaxDirtyBytes = MaxDirtyBytes, JournalSoftLimitBytes = JournalSoftLimitBytes };

    /// <summary>Opens the store as the fill does.</summary>
    internal IStore Open()
    {
        StoreKind kind = StoreKinds.Find(Engine);
        return kind.IsOurs ? new OurStore(Folder, options: Options, tree: Tree) : kind.Open(Folder);
    }

    /// <summary>The items that it puts.</summary>
    internal ItemSequence Sequence => new(Seed, Load, Items);

    /// <summary>What a process had committed when it was killed.</summary>
    internal int ReadAcknowledged() => BitConverter.ToInt32(File.ReadAllBytes(AcknowledgedPath));

    private void Run()
    {
        // A page that two processes share keeps what is stored in it when one of them is killed; nothing waits for a device.
        using MemoryMappedFile? shared = KillAfterSeconds is null
            ? null : MemoryMappedFile.CreateFromFile(AcknowledgedPath, FileMode.Create, null, sizeof(int));
        using MemoryMappedViewAccessor? acknowledged = shared?.CreateViewAccessor();
        IStore store = Open();
        Measured measured;
        using (Meter meter = new(Folder))
        {
            using Timer? killer = KillAfterSeconds is { } seconds
                ? new Timer(static _ => KillSelf(), null, TimeSpan.FromSeconds(seconds), Timeout.InfiniteTimeSpan) : null;
            Latencies latencies = new((Items + PutsPerTransaction - 1) / PutsPerTransaction);
            int done;
            using (IStoreWriter writer = store.OpenWriter())
            {
                done = Fill(store, writer, latencies, acknowledged);
            }

            meter.Stop(done, latencies);
            if (killer is not null)
            {
                KillSelf();
            }

            if (HasReads && store is OurStore ours)
            {
                PendingReads reads = new(ours, Sequence, done);
                Console.WriteLine(ReadsWord + JsonSerializer.Serialize(reads.Measure()));
            }

            meter.Close(store);
            measured = meter.ToMeasured();
        }

        Console.WriteLine(RowWord + JsonSerializer.Serialize(measured.ToRow(string.Empty, Engine)));
    }

    /// <summary>Nothing is unwound or written any more, as when another process kills this one.</summary>
    private static void KillSelf()
    {
        using Process self = Process.GetCurrentProcess();
        self.Kill();
        Thread.Sleep(Timeout.Infinite);
    }

    /// <summary>Fills; how many items it put.</summary>
    private int Fill(IStore store, IStoreWriter writer, Latencies latencies, MemoryMappedViewAccessor? acknowledged)
    {
        ItemSequence sequence = Sequence;
        BlockDevice? device = BlockDevice.Under(Folder);
        int done = 0;
        long start = Stopwatch.GetTimestamp();
        FillMoment moment = FillMoment.Take(start, done, device, Folder, store);
        int noted = 0;
        while (done < Items)
        {
            int count = Math.Min(PutsPerTransaction, Items - done);
            long begun = Stopwatch.GetTimestamp();
            sequence.Put(writer, done, count);
            long ended = Stopwatch.GetTimestamp();
            latencies.Add(begun, ended);
            done += count;
            acknowledged?.Write(0, done);
            double seconds = Stopwatch.GetElapsedTime(start, ended).TotalSeconds;
            bool isLast = done == Items || seconds >= CapSeconds;
            if (isLast || seconds - moment.Seconds >= SecondsPerInterval)
            {
                FillMoment now = FillMoment.Take(start, done, device, Folder, store);
                FillInterval interval = FillInterval.Between(moment, now, latencies.From(noted));
                Console.WriteLine(IntervalWord + JsonSerializer.Serialize(interval));
                (moment, noted) = (now, latencies.Count);
            }

            if (isLast)
            {
                break;
            }
        }

        writer.Finish();
        return done;
    }
}
