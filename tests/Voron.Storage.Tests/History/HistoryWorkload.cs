using System.IO.Pipelines;
using Voron.Storage.Tests.Doors;

namespace Voron.Storage.Tests.History;

/// <summary>
/// Random transactions over a few trees: puts of all lengths, streams, deletions, ranges, drops, renames, roll-backs to savepoints and of
/// whole transactions, commits of all modes.
/// </summary>
internal sealed class HistoryWorkload(int seed, int largestValue = 200_000)
{
    private static readonly string[] Names = ["a", "b", "c", "käse"];

    private readonly Random _random = new(seed);

    private byte _runs;

    /// <summary>Commits or rolls back a number of transactions; the last one changes something and is durable.</summary>
    internal void Run(StorageEnvironment environment, int transactions)
    {
        for (int i = 0; i < transactions; i++)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Change(transaction, _random.Next(1, 30), depth: 0);
            if (_random.Next(8) != 0)
            {
                transaction.Commit(_random.Next(4) switch { 0 => CommitMode.Buffered, 1 => CommitMode.Lazy, _ => CommitMode.Durable });
            }
        }

        using WriteTransaction last = environment.BeginWrite();
        last.OpenTree("last").Put([++_runs], [_runs]);
        last.Commit();
    }

    private void Change(WriteTransaction transaction, int changes, int depth)
    {
        for (int i = 0; i < changes; i++)
        {
            if (depth < 3 && _random.Next(10) == 0)
            {
                Savepoint before = transaction.CreateSavepoint();
                Change(transaction, _random.Next(1, 12), depth + 1);
                if (_random.Next(2) == 0)
                {
                    transaction.RollbackTo(before);
                    Change(transaction, _random.Next(3), depth + 1);
                }

                transaction.Release(before);
            }
            else
            {
                ChangeOne(transaction);
            }
        }
    }

    private void ChangeOne(WriteTransaction transaction)
    {
        string name = Names[_random.Next(Names.Length)];
        int dice = _random.Next(100);
        if (dice < 2)
        {
            transaction.DropTree(name);
            return;
        }

        if (dice < 4)
        {
            string other = Names[_random.Next(Names.Length)];
            if (!transaction.TryOpenTree(other, out _))
            {
                transaction.RenameTree(name, other);
            }

            return;
        }

        Tree tree = transaction.OpenTree(name);
        byte[] key = Sample.Key(_random.Next(400));
        if (dice < 20)
        {
            tree.Delete(key);
        }
        else if (dice < 24)
        {
            int from = _random.Next(400);
            tree.DeleteRange(Sample.Key(from), Sample.Key(from + _random.Next(40)));
        }
        else if (dice < 27)
        {
            PipeWriter writer = tree.OpenValueWriter(key);
            writer.WriteAsync(Sample.Value(_random.Next(1, largestValue), _random.Next())).AsTask().GetAwaiter().GetResult();
            writer.Complete();
        }
        else
        {
            tree.Put(key, Sample.Value(dice < 32 ? _random.Next(largestValue) : _random.Next(300), _random.Next()));
        }
    }
}
