using System.Buffers;
using System.Globalization;
using Voron.Simulation.Crashes;
using Voron.Simulation.Faults;
using Voron.Storage;
using Voron.Storage.Engine;
using Voron.Storage.History;

namespace Voron.Simulation.Engine;

/// <summary>
/// A live feed beside commits of all modes, fragments, roll-backs to savepoints, checkpoints, kills and power cuts; it goes from chunk to
/// chunk with them. Every set is what its transaction did in the end; what was shown is there after every cut; and what follows a named
/// position can be read to the end, also large values that were freed.
/// </summary>
internal static class FeedLane
{
    private const int StatesOfEachSeed = 20;
    private const int Transactions = 20;

    internal static CrashStatistics Run(long states)
    {
        var statistics = new CrashStatistics();
        foreach (ulong seed in SimSeed.List((int)Math.Clamp((states + StatesOfEachSeed - 1) / StatesOfEachSeed, 1, 1000)))
        {
            try
            {
                statistics.Workloads++;
                new Scene(seed, statistics).Play();
            }
            catch (Exception error)
            {
                throw new CrashFailureException($"a feed, seed {seed}: {error.Message}", error) { Oracle = "O2", Seed = seed };
            }
        }

        return statistics;
    }

    private sealed class Scene(ulong seed, CrashStatistics statistics)
    {
        private readonly SimRandom _random = new(SimRandom.Mix(seed, 11));

        /// <summary>What each transaction did, by its number.</summary>
        private readonly Dictionary<long, List<string>> _expected = [];
        private SimDisk _disk = new(seed);
        private StorageEnvironment? _environment;

        /// <summary>It begins anew with each environment.</summary>
        private ChangeFeed? _live;
        private long _shown;

        internal void Play()
        {
            _environment = Open(_disk);
            Keep();
            for (int i = 0; i < Transactions; i++)
            {
                Commit();
                if (_random.Below(3) > 0)
                {
                    Follow();
                }

                if (_random.Below(4) == 0)
                {
                    _environment.Checkpoint();
                }

                Cut();
                if (_random.Below(8) == 0)
                {
                    Kill();
                }
            }

            _environment!.Flush();
            Follow();
            Read(_environment, 0);
            _live?.Dispose();
            _environment.Dispose();
            _environment = Open(_disk);
            Read(_environment, 0);
            End(_environment, _disk);
        }

        /// <summary>With every other seed most values are placed, and read from pages that transactions have freed since.</summary>
        private StorageEnvironment Open(SimDisk disk) => StorageEnvironment.Open(EngineSubject.Directory, new StorageOptions
        {
            Engine = new()
            {
                Disk = disk, Background = false, FragmentBytes = 9000,
                PlacedValueBytes = seed % 2 == 0 ? EngineSubject.PageBytes : int.MaxValue, JournalledBytes = 0,
            },
            PageSize = EngineSubject.PageBytes,
            DisposeTimeout = TimeSpan.Zero,
            TimeProvider = FrozenTime.Instance,
            JournalSoftLimitBytes = 256 << 10,
            KeepChangesBytes = 64 << 20,
        });

        private static void End(StorageEnvironment environment, SimDisk disk)
        {
            disk.PowerOff();
            environment.Database.Abandon();
        }

        /// <summary>Keeps everything from now on.</summary>
        private void Keep()
        {
            _environment!.KeepChangesFromAsync("reader", 0).AsTask().GetAwaiter().GetResult();
            _expected[_environment!.GetReport().LastTransactionId] = [];
        }

        private void Commit()
        {
            using WriteTransaction transaction = _environment!.BeginWrite();
            List<string> changes = [];
            bool isNew = !transaction.TryOpenTree("t", out _);
            Tree tree = transaction.OpenTree("t");
            if (isNew)
            {
                changes.Add("CreateTree  ");
            }

            int puts = _random.Between(1, 6);
            for (int i = 0; i < puts; i++)
            {
                Savepoint before = transaction.CreateSavepoint();
                int kept = changes.Count;
                Put(tree, changes);
                Put(tree, changes);
                if (_random.Below(3) == 0)
                {
                    transaction.RollbackTo(before);
                    changes.RemoveRange(kept, changes.Count - kept);
                }

                transaction.Release(before);
            }

            Put(tree, changes);
            long id = transaction.TransactionId;
            if (_random.Below(6) == 0)
            {
                // Its fragments stay in the journal, and the next transaction has its number.
                return;
            }

            transaction.Commit((CommitMode)_random.Below(3));
            _expected[id] = changes;
        }

        private void Put(Tree tree, List<string> changes)
        {
            byte[] key = [(byte)_random.Below(20)];
            byte[] value = new byte[_random.Between(1, 8000)];
            _random.Fill(value);
            tree.Put(key, value);
            changes.Add(Text(ChangeKind.Put, key, value));
        }

        private static string Text(ChangeKind kind, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) =>
            string.Create(CultureInfo.InvariantCulture, $"{kind} {Convert.ToHexString(key)} {Convert.ToHexString(value)}");

        /// <summary>Reads what is new, and waits for more without being in the way.</summary>
        private void Follow()
        {
            _live ??= new ChangeFeed(_environment!.Database, _shown, null);
            _shown = Read(_live, _shown);
            _ = _live.WaitAsync(CancellationToken.None).AsTask();
        }

        /// <summary>Reads all that a new feed shows after a transaction and compares it.</summary>
        private void Read(StorageEnvironment environment, long after)
        {
            using ChangeFeed feed = new(environment.Database, after, null);
            Read(feed, after);
        }

        /// <summary>Returns the last transaction.</summary>
        private long Read(ChangeFeed feed, long after)
        {
            long last = after;
            while (feed.TryNext(CancellationToken.None))
            {
                ChangeSet set = new(feed.Changes);
                List<string> shown = [.. set.Select(static change => Text(change.Kind, change.Key, change.Value.ToArray()))];
                for (long skipped = last + 1; skipped < set.TransactionId; skipped++)
                {
                    NumberedRows.Require(_expected[skipped].Count == 0, $"transaction {skipped} is shown");
                }

                last = set.TransactionId;
                NumberedRows.Require(shown.SequenceEqual(_expected[last]), $"transaction {last} is shown as it was");
            }

            return last;
        }

        /// <summary>What was shown is there after a power cut, and can be read from the position on.</summary>
        private void Cut()
        {
            SimSnapshot left = _disk.Capture();
            var kept = new AtomSet(left.Atoms.Length);
            bool isNothing = _random.Below(2) == 0;
            for (int i = 0; i < kept.Count; i++)
            {
                kept[i] = !isNothing && _random.Below(2) == 0;
            }

            SimDisk cut = left.Cut(kept);
            statistics.Tried++;
            statistics.Opens++;
            StorageEnvironment opened = Open(cut);
            long newest = opened.GetReport().LastTransactionId;
            NumberedRows.Require(newest >= _shown, $"transaction {_shown} was shown, and after a cut {newest} is the last one");
            Read(opened, 0);
            End(opened, cut);
        }

        private void Kill()
        {
            SimDisk killed = _disk.Kill();
            _live?.Dispose();
            _live = null;
            End(_environment!, _disk);
            _disk = killed;
            _environment = Open(_disk);
            long newest = _environment.GetReport().LastTransactionId;
            NumberedRows.Require(newest >= _shown, $"transaction {_shown} was shown, and after a kill {newest} is the last one");
            foreach (long lost in _expected.Keys.Where(id => id > newest).ToList())
            {
                _expected.Remove(lost);
            }
        }
    }
}
