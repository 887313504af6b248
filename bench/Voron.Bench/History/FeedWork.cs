using System.Diagnostics;
using System.IO.Pipelines;
using Voron.Bench.Load;
using Voron.Storage;

namespace Voron.Bench.History;

/// <summary>Commits of 100 random puts, the changes that a backup and a feed make of them, and a live consumer beside them.</summary>
internal sealed class FeedWork : IDisposable
{
    private const string Name = "history";
    private const int PutsPerTransaction = 100;

    /// <summary>What a commit writes to the journal.</summary>
    private const int BytesPerCommit = RawLimit.HeadlineWriteBytes;

    private readonly StorageEnvironment _environment;
    private readonly int _transactions;
    private readonly byte[] _entry = new byte[DataSet.KeyBytes + 104];
    private RandomBytes _random;
    private long _first;

    internal FeedWork(string folder, int transactions, ulong seed)
    {
        _transactions = transactions;
        _random = new RandomBytes(seed);
        _environment = StorageEnvironment.Open(folder, new StorageOptions { KeepChangesBytes = 1L << 40 });
        Put();
        Wait(_environment.KeepChangesFromAsync("bench", _environment.GetReport().LastTransactionId));
        _first = _environment.GetReport().LastTransactionId;
        for (int i = 0; i < transactions; i++)
        {
            Put();
        }
    }

    public void Dispose() => _environment.Dispose();

    /// <summary>Bytes of the stream for each byte that the commits wrote.</summary>
    internal double BackUpChanges()
    {
        BackupReport report = _environment.BackupChangesAsync(PipeWriter.Create(Stream.Null), _first).AsTask().GetAwaiter().GetResult();
        Demands.Count("backed up transactions", report.Transactions, _transactions);
        return report.Bytes / ((double)_transactions * BytesPerCommit);
    }

    /// <summary>Changes per second of a consumer that reads them all from the files.</summary>
    internal double ReadAll()
    {
        long start = Stopwatch.GetTimestamp();
        long changes = CountAsync(_first + _transactions).GetAwaiter().GetResult();
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        Demands.Count("changes", changes, (long)_transactions * PutsPerTransaction);
        return changes / seconds;
    }

    /// <summary>
    /// Microseconds: how much later than the return of a commit a consumer has its changes (p99 of each round), and the p50 of commits
    /// without and with the consumer, in turns, round by round. Rounds before are not counted: the runtime compiles meanwhile.
    /// </summary>
    /// <param name="perSecond">Rate of the commits; 0: one directly after the other.</param>
    internal (double[] Lags, double[] Alone, double[] Beside) Follow(int perSecond)
    {
        const int Rounds = 40;
        const int WarmUps = 10;
        double[] lags = new double[Rounds];
        double[] alone = new double[Rounds];
        double[] beside = new double[Rounds];
        for (int round = -WarmUps; round < Rounds; round++)
        {
            (lags[Math.Max(0, round)], alone[Math.Max(0, round)], beside[Math.Max(0, round)]) = FollowOnce(_transactions / 10, perSecond);
        }

        return (lags, alone, beside);
    }

    private (double Lag, double Alone, double Beside) FollowOnce(int commits, int perSecond)
    {
        Latencies lags = new(commits);
        Latencies alone = new(commits);
        Latencies beside = new(commits);
        _first = Commit(commits, perSecond, alone, null);
        long[] returned = new long[commits];
        using SemaphoreSlim isLive = new(0);
        Task<long[]> consumer = Task.Run(() => NoteAsync(_first, commits, isLive));

        // It follows once it has seen a commit that came after its beginning.
        Put();
        isLive.Wait();
        Commit(commits, perSecond, beside, returned);
        long[] seen = consumer.GetAwaiter().GetResult();
        for (int i = 0; i < commits; i++)
        {
            lags.Add(returned[i], Math.Max(returned[i], seen[i]));
        }

        return (lags.Microseconds(0.99), alone.Microseconds(0.5), beside.Microseconds(0.5));
    }

    private static void Wait(ValueTask task) => task.AsTask().GetAwaiter().GetResult();

    private async Task<long> CountAsync(long last)
    {
        long changes = 0;
        await foreach (ChangeSet set in _environment.ReadChangesAsync(_first).ConfigureAwait(false))
        {
            foreach (Change change in set)
            {
                changes += change.Key.Length == DataSet.KeyBytes ? 1 : 0;
            }

            if (set.TransactionId >= last)
            {
                break;
            }
        }

        return changes;
    }

    /// <summary>When each of the transactions was seen that come after the next one.</summary>
    private async Task<long[]> NoteAsync(long after, int transactions, SemaphoreSlim isLive)
    {
        long[] seen = new long[transactions];
        await foreach (ChangeSet set in _environment.ReadChangesAsync(after).ConfigureAwait(false))
        {
            int number = (int)(set.TransactionId - after) - 2;
            if (number < 0)
            {
                isLive.Release();
                continue;
            }

            seen[number] = Stopwatch.GetTimestamp();
            if (number == transactions - 1)
            {
                break;
            }
        }

        return seen;
    }

    /// <summary>Returns the last transaction.</summary>
    private long Commit(int transactions, int perSecond, Latencies latencies, long[]? returned)
    {
        if (perSecond > 0)
        {
            OpenLoop.Real.Run(perSecond, transactions, Commit);
        }

        for (int number = 0; perSecond == 0 && number < transactions; number++)
        {
            Commit(number);
        }

        return _environment.GetReport().LastTransactionId;

        void Commit(int number)
        {
            long start = Stopwatch.GetTimestamp();
            Put();
            long end = Stopwatch.GetTimestamp();
            latencies.Add(start, end);
            if (returned is not null)
            {
                returned[number] = end;
            }
        }
    }

    private void Put()
    {
        using WriteTransaction transaction = _environment.BeginWrite();
        Tree tree = transaction.OpenTree(Name);
        for (int i = 0; i < PutsPerTransaction; i++)
        {
            _random.Fill(_entry);
            tree.Put(_entry.AsSpan(0, DataSet.KeyBytes), _entry.AsSpan(DataSet.KeyBytes, DataSet.ValueBytes));
        }

        transaction.Commit();
    }
}
