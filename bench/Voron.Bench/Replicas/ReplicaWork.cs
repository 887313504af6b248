using System.Buffers.Binary;
using System.Diagnostics;
using Voron.Storage;
using Voron.Storage.Replication;

namespace Voron.Bench.Replicas;

/// <summary>What is measured of replicas on one log: each part has a log of its own on the servers.</summary>
internal sealed class ReplicaWork(Workspace workspace, LogServers servers)
{
    private const int Callers = 256;
    private const int MostInFlight = 256;
    private const string TreeName = "bench";

    private static readonly byte[] Value = new byte[DataSet.ValueBytes];
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(1);

    private int _logs;

    /// <summary>
    /// Seconds of a write of one caller, and of the carrier's own append of an entry as long as those that the writes made, in turns.
    /// </summary>
    internal async Task<(double Write, double Publish, int Bytes)> OneCallerAsync(int writes, int rounds)
    {
        string folder = workspace.NextDatabase();
        List<double> own = [];
        List<double> carrier = [];
        int bytes = 0;
        await using (Replica leader = await LeadAsync(folder, NextLog()))
        await using (IReplicatedLog reader = await servers.OpenAsync($"log{_logs}"))
        await using (IReplicatedLog log = await servers.OpenAsync(NextLog()))
        {
            for (int round = 0; round <= rounds; round++)
            {
                double write = await TimeAsync(writes, async i => await PutAsync(leader.Environment, i));
                (double publish, bytes) = await PublishAsync(reader, log, writes);

                // The first round warms up.
                own.AddRange(round > 0 ? [write] : []);
                carrier.AddRange(round > 0 ? [publish] : []);
            }
        }

        Check(folder, writes);
        return (Spread.Of(own).Median, Spread.Of(carrier).Median, bytes);
    }

    /// <summary>
    /// Writes a second of many callers, on a leader and on an engine alone, in turns; and what the carrier's own appends would allow, each
    /// as long as the longest entry that the writes made and with one write of each caller.
    /// </summary>
    internal async Task<(double Leader, double Alone, double Carrier, int Bytes)> ManyCallersAsync(int writes, int rounds)
    {
        string led = workspace.NextDatabase();
        string own = workspace.NextDatabase();
        List<double> leading = [];
        List<double> alone = [];
        List<double> carrier = [];
        int bytes = 0;
        await using (Replica leader = await LeadAsync(led, NextLog()))
        await using (IReplicatedLog reader = await servers.OpenAsync($"log{_logs}"))
        await using (IReplicatedLog log = await servers.OpenAsync(NextLog()))
        using (StorageEnvironment environment = StorageEnvironment.Open(own))
        {
            for (int round = 0; round <= rounds; round++)
            {
                double first = await ShareAsync(leader.Environment, writes);
                double second = await ShareAsync(environment, writes);
                (double publish, bytes) = await PublishAsync(reader, log, writes / Callers);
                leading.AddRange(round > 0 ? [first] : []);
                alone.AddRange(round > 0 ? [second] : []);
                carrier.AddRange(round > 0 ? [Callers / publish] : []);
            }
        }

        Check(led, writes);
        Check(own, writes);
        return (Spread.Of(leading).Median, Spread.Of(alone).Median, Spread.Of(carrier).Median, bytes);
    }

    /// <summary>Transactions a second that a leader makes of asynchronous commits, and that a new node applies from the log.</summary>
    internal async Task<(double Made, double Applied)> ApplyAsync(int transactions)
    {
        string log = NextLog();
        string folder = workspace.NextDatabase();
        string other = workspace.NextDatabase();
        double made;
        double applied;
        await using (Replica leader = await LeadAsync(folder, log))
        {
            long start = Stopwatch.GetTimestamp();
            long last = await CommitAsync(leader.Environment, transactions);
            made = transactions / Stopwatch.GetElapsedTime(start).TotalSeconds;
            start = Stopwatch.GetTimestamp();
            await using Replica follower = await Replica.OpenAsync(
                other, await servers.OpenAsync(log), new ReplicaOptions { NodeName = "follower", MayLead = false });
            await follower.WaitForAsync(last);
            applied = last / Stopwatch.GetElapsedTime(start).TotalSeconds;
        }

        Check(folder, transactions);
        Check(other, transactions);
        return (made, applied);
    }

    /// <summary>
    /// Seconds from the kill of a leader until another node leads, and until its first write is acknowledged; and what may pass.
    /// </summary>
    internal async Task<(double Leads, double Writes, double Most)> FailOverAsync()
    {
        string log = NextLog();
        string folder = workspace.NextDatabase();
        ReplicaOptions options = new() { NodeName = "heir" };
        double leads;
        double writes;
        using (Process doomed = new DoomedLeader(servers.Kind, servers.Url, log, workspace.NextDatabase()).Start())
        await using (Replica heir = await Replica.OpenAsync(folder, await servers.OpenAsync(log), options))
        {
            while (heir.Status.Leader is null || heir.Status.Lag > 0)
            {
                await Task.Delay(Pause);
            }

            doomed.Kill();
            long start = Stopwatch.GetTimestamp();
            doomed.WaitForExit();
            await LeadsAsync(heir);
            leads = Stopwatch.GetElapsedTime(start).TotalSeconds;
            await PutAsync(heir.Environment, 0);
            writes = Stopwatch.GetElapsedTime(start).TotalSeconds;
        }

        Check(folder, null);

        // A node waits for the time-out and at most as much again.
        return (leads, writes, (2 * options.LeaderTimeout.TotalSeconds) + 1);
    }

    internal static async Task LeadsAsync(Replica node)
    {
        while (node.Role != ReplicaRole.Leader)
        {
            if (node.Status.Failure is { } failure)
            {
                throw new VerificationException($"The node has stopped: {failure.Message}");
            }

            await Task.Delay(Pause);
        }
    }

    internal static ValueTask PutAsync(StorageEnvironment environment, int key) => environment.WriteAsync(
        static (transaction, key) => Put(transaction, key), key);

    private static void Put(WriteTransaction transaction, int key)
    {
        Span<byte> bytes = stackalloc byte[DataSet.KeyBytes];
        bytes.Clear();
        BinaryPrimitives.WriteInt64BigEndian(bytes, key);
        transaction.OpenTree(TreeName).Put(bytes, Value);
    }

    private string NextLog() => $"log{++_logs}";

    private async Task<Replica> LeadAsync(string folder, string log)
    {
        ReplicaOptions options = new() { NodeName = "leader", LeaderTimeout = TimeSpan.FromMilliseconds(500) };
        Replica node = await Replica.OpenAsync(folder, await servers.OpenAsync(log), options);
        await LeadsAsync(node);
        return node;
    }

    private static async Task<double> TimeAsync(int times, Func<int, Task> work)
    {
        GC.Collect();
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < times; i++)
        {
            await work(i);
        }

        return Stopwatch.GetElapsedTime(start).TotalSeconds / times;
    }

    /// <summary>Seconds of an append to a log, of an entry as long as the longest of the last ones of another.</summary>
    private static async Task<(double Seconds, int Bytes)> PublishAsync(IReplicatedLog like, IReplicatedLog log, int times)
    {
        byte[] entry = new byte[await LongestAsync(like)];
        long last = (await log.GetBoundsAsync(CancellationToken.None)).Last;
        return (await TimeAsync(times, async _ => last = await log.AppendAsync(entry, last, CancellationToken.None)), entry.Length);
    }

    /// <summary>The longest of the last entries; signs of life between them are shorter.</summary>
    private static async Task<int> LongestAsync(IReplicatedLog log)
    {
        LogBounds bounds = await log.GetBoundsAsync(CancellationToken.None);
        int longest = 0;
        await foreach (LogEntry entry in log.ReadAsync(Math.Max(bounds.First, bounds.Last - 10), CancellationToken.None))
        {
            longest = Math.Max(longest, entry.Bytes.Length);
            if (entry.Position >= bounds.Last)
            {
                break;
            }
        }

        return longest;
    }

    private static async Task<double> ShareAsync(StorageEnvironment environment, int writes)
    {
        GC.Collect();
        long start = Stopwatch.GetTimestamp();
        await Task.WhenAll(Enumerable.Range(0, Callers).Select(caller => Task.Run(async () =>
        {
            for (int i = caller; i < writes; i += Callers)
            {
                await PutAsync(environment, i);
            }
        })));
        return writes / Stopwatch.GetElapsedTime(start).TotalSeconds;
    }

    /// <summary>Transactions of one put each, many of them on their way at a time; the number of the last one.</summary>
    private static async Task<long> CommitAsync(StorageEnvironment environment, int transactions)
    {
        Queue<Task> flying = new(MostInFlight);
        long last = 0;
        for (int i = 0; i < transactions; i++)
        {
            if (flying.Count == MostInFlight)
            {
                await flying.Dequeue();
            }

            WriteTransaction transaction = environment.BeginWrite();
            Put(transaction, i);
            last = transaction.TransactionId;
            flying.Enqueue(transaction.CommitAsync().AsTask());
        }

        await Task.WhenAll(flying);
        return last;
    }

    private static void Check(string folder, int? entries)
    {
        using (StorageEnvironment environment = StorageEnvironment.Open(folder, new StorageOptions { CreateIfMissing = false }))
        {
            if (environment.Check() is { IsClean: false } report)
            {
                throw new VerificationException($"{folder}: {report.Findings[0]}");
            }

            using ReadTransaction read = environment.BeginRead();
            long found = read.OpenTree(TreeName).Count;
            Demands.Count("entries", found, entries ?? found);
        }

        Workspace.Remove(folder);
    }
}
