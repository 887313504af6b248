using System.Diagnostics;
using System.IO.Pipelines;
using Voron.Bench.Load;
using Voron.Storage;

namespace Voron.Bench.History;

/// <summary>Durable commits of one random put, alone and beside full backups or a reader in another process.</summary>
internal sealed class PacedCommits(string folder, int transactions, ulong seed)
{
    private const string Name = "history";
    private const int Rounds = 4;

    private readonly byte[] _entry = new byte[DataSet.KeyBytes + 104];
    private readonly Latencies _alone = new(Rounds * transactions);
    private readonly Latencies _beside = new(Rounds * transactions);
    private RandomBytes _random = new(seed);

    /// <summary>
    /// The p99 of a commit alone and beside full backups, one after another, in microseconds. The caller sleeps for a millisecond between
    /// commits, as one does that waits for requests; one that turned on the spot would take a processor from the backups.
    /// </summary>
    internal (double Alone, double Beside) BesideBackups()
    {
        using StorageEnvironment environment = StorageEnvironment.Open(folder);
        for (int round = 0; round < Rounds; round++)
        {
            CommitAndSleep(environment, _alone);
            using CancellationTokenSource end = new();
            Task backups = Task.Run(() => BackUpAsync(environment, end.Token));
            CommitAndSleep(environment, _beside);
            end.Cancel();
            backups.GetAwaiter().GetResult();
        }

        return (_alone.Microseconds(0.99), _beside.Microseconds(0.99));
    }

    /// <summary>
    /// In microseconds: how long after the return of a commit another process sees it (p99), and the p50 of a commit without and with that
    /// process.
    /// </summary>
    /// <param name="perSecond">Rate of the commits.</param>
    internal (double Lag, double Alone, double Beside) BesideReader(int perSecond)
    {
        Latencies lags = new(Rounds * transactions);
        using StorageEnvironment environment = StorageEnvironment.Open(folder);
        for (int round = 0; round < Rounds; round++)
        {
            Commit(environment, perSecond, _alone, null);
            long first = environment.GetReport().LastTransactionId + transactions;
            Process process = new OutsideReader(folder, first, transactions).Start();

            // The runtime of that process compiles what it runs meanwhile.
            Commit(environment, perSecond, new Latencies(transactions), null);
            long[] returned = new long[transactions];
            Commit(environment, perSecond, _beside, returned);
            long[] seen = OutsideReader.End(process);
            for (int i = 0; i < transactions; i++)
            {
                lags.Add(returned[i], Math.Max(returned[i], seen[i]));
            }
        }

        return (lags.Microseconds(0.99), _alone.Microseconds(0.5), _beside.Microseconds(0.5));
    }

    private static async Task BackUpAsync(StorageEnvironment environment, CancellationToken end)
    {
        while (!end.IsCancellationRequested)
        {
            await environment.BackupAsync(PipeWriter.Create(Stream.Null), cancellationToken: CancellationToken.None);
        }
    }

    private void CommitAndSleep(StorageEnvironment environment, Latencies latencies)
    {
        for (int i = 0; i < transactions; i++)
        {
            Thread.Sleep(1);
            long start = Stopwatch.GetTimestamp();
            Put(environment);
            latencies.Add(start, Stopwatch.GetTimestamp());
        }
    }

    private void Commit(StorageEnvironment environment, int perSecond, Latencies latencies, long[]? returned)
    {
        OpenLoop.Real.Run(perSecond, transactions, number =>
        {
            long start = Stopwatch.GetTimestamp();
            Put(environment);
            long end = Stopwatch.GetTimestamp();
            latencies.Add(start, end);
            if (returned is not null)
            {
                returned[number] = end;
            }
        });
    }

    private void Put(StorageEnvironment environment)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree(Name);
        _random.Fill(_entry);
        tree.Put(_entry.AsSpan(0, DataSet.KeyBytes), _entry.AsSpan(DataSet.KeyBytes, DataSet.ValueBytes));
        transaction.Commit();
    }
}
