using Voron.Simulation.Crashes;
using Voron.Simulation.Faults;
using Voron.Storage;
using Voron.Storage.Commits;
using Voron.Storage.Engine;
using Voron.Storage.History;

namespace Voron.Simulation.Engine;

/// <summary>
/// A database whose commits another log has first, which fails before and after it has taken a group. Whatever is asked while the log is
/// taking a group, and whatever a kill leaves then, has nothing of that group; and with what the log has, all of it is there again, here
/// and on a new node.
/// </summary>
internal static class OuterLane
{
    private const int StatesOfEachSeed = 10;
    private const int Transactions = 16;
    private const int FragmentBytes = 9000;
    private const int PlacedValueBytes = 3000;
    private static readonly Guid LogId = new(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);

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
                throw new CrashFailureException($"an outer log, seed {seed}: {error.Message}", error) { Oracle = "O2", Seed = seed };
            }
        }

        return statistics;
    }

    private static StorageEnvironment Open(SimDisk disk) => StorageEnvironment.Open(EngineSubject.Directory, ReplicaDoor.SettingsOf(
        new StorageOptions
        {
            Engine = new() { Disk = disk, Background = false, PlacedValueBytes = PlacedValueBytes, JournalledBytes = 0 },
            PageSize = EngineSubject.PageBytes,
            DisposeTimeout = TimeSpan.Zero,
            JournalSoftLimitBytes = 256 << 10,
        },
        FragmentBytes));

    private sealed class Scene(ulong seed, CrashStatistics statistics) : IOuterLog, IGroupPartSink
    {
        private readonly SimRandom _random = new(SimRandom.Mix(seed, 17));

        /// <summary>What the log has: whole transactions, and the beginning of one.</summary>
        private readonly List<(RedoRecord Record, byte[] Body)> _records = [];
        private SimDisk _disk = new(seed);
        private StorageEnvironment? _environment;
        private GroupParts? _parts;
        private string? _broken;

        /// <summary>The last transaction that the log has.</summary>
        private long _last;

        /// <summary>Refuses the next group before it has taken it, or after that; null if it takes it.</summary>
        private bool? _failsAfter;

        internal void Play()
        {
            Begin();
            for (int i = 0; i < Transactions; i++)
            {
                _failsAfter = _random.Below(6) switch { 0 => true, 1 => false, _ => null };
                Commit();
                if (_random.Below(5) == 0)
                {
                    _environment!.Checkpoint();
                }

                if (_random.Below(5) == 0)
                {
                    Kill();
                }
            }

            NumberedRows.Require(_environment!.Check().IsClean, "the database is sound");
            Dictionary<byte, byte[]> content = ContentOf(_environment);
            End();
            _disk = new SimDisk(seed + 1);
            Begin();
            NumberedRows.Require(_environment.Check().IsClean, "a new node is sound");
            Dictionary<byte, byte[]> other = ContentOf(_environment);
            bool isSame = content.Count == other.Count
                && content.All(one => other.TryGetValue(one.Key, out byte[]? value) && value.SequenceEqual(one.Value));
            NumberedRows.Require(isSame, "a new node has what the leader has");
            End();
        }

        private static Dictionary<byte, byte[]> ContentOf(StorageEnvironment environment)
        {
            Dictionary<byte, byte[]> content = [];
            using ReadTransaction read = environment.BeginRead();
            if (read.TryOpenTree("t", out ReadTree tree))
            {
                foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree)
                {
                    content.Add(key[0], value.ToArray());
                }
            }

            return content;
        }

        void IOuterLog.Append(CommitGroup group)
        {
            try
            {
                Look();
            }
            catch (Exception error)
            {
                // The journal takes any failure for one of the log.
                _broken ??= error.Message;
                throw;
            }

            if (_failsAfter == false)
            {
                throw new TimeoutException("The log has refused the group.");
            }

            try
            {
                _parts!.Cut(group, this);
            }
            catch (Exception error)
            {
                _broken ??= error.Message;
                throw;
            }

            if (_failsAfter == true)
            {
                throw new TimeoutException("The log has taken the group and not said so.");
            }
        }

        void IGroupPartSink.Take(RedoRecord record, ReadOnlySpan<byte> bytes)
        {
            _records.Add((record, bytes.ToArray()));
            _last = record.IsLast ? record.TransactionId.Value : _last;
        }

        /// <summary>Nothing that the log does not have is seen here, or left by a kill.</summary>
        private void Look()
        {
            using (ReadTransaction read = _environment!.BeginRead())
            {
                NumberedRows.Require(read.TransactionId <= _last, $"{read.TransactionId} is visible, and {_last} is the log's last");
            }

            statistics.Tried++;
            statistics.Opens++;
            SimDisk killed = _disk.Capture().Cut(CutChoice.All);
            StorageEnvironment left = Open(killed);
            long newest = left.GetReport().LastTransactionId;
            End(left, killed);
            NumberedRows.Require(newest <= _last, $"a kill leaves {newest}, and {_last} is the log's last");
        }

        private void Commit()
        {
            long id = 0;
            try
            {
                using WriteTransaction transaction = _environment!.BeginWrite();
                id = transaction.TransactionId;
                Put(transaction);
                if (_random.Below(3) == 0)
                {
                    Savepoint savepoint = transaction.CreateSavepoint();
                    Put(transaction);
                    transaction.RollbackTo(savepoint);
                    Put(transaction);
                }

                transaction.Commit((CommitMode)_random.Below(3));
                NumberedRows.Require(_broken is null, _broken ?? string.Empty);
                NumberedRows.Require(_last == id, $"{id} is acknowledged, and {_last} is the log's last");
                using ReadTransaction read = _environment.BeginRead();
                NumberedRows.Require(read.TransactionId == id, $"{id} is acknowledged, and {read.TransactionId} is visible");
            }
            catch (Exception error) when (error is CommitOutcomeUnknownException or StoragePoisonedException && _failsAfter is not null)
            {
                NumberedRows.Require(_broken is null, _broken ?? string.Empty);
                Kill();
            }
        }

        private void Put(WriteTransaction transaction)
        {
            for (int i = _random.Between(1, 4); i > 0; i--)
            {
                byte[] value = new byte[_random.Between(1, 8000)];
                _random.Fill(value);
                transaction.OpenTree("t").Put([(byte)_random.Below(20)], value);
            }
        }

        private void Kill()
        {
            SimDisk killed = _disk.Kill();
            End();
            _disk = killed;
            Begin();
        }

        /// <summary>Opens what is left, applies what the log has beyond it, and leads.</summary>
        private void Begin()
        {
            _environment = Open(_disk);
            ReplicaDoor door = new(_environment, static () => throw new InvalidOperationException("The node follows."));
            NumberedRows.Require(door.LastTransaction <= _last, $"{door.LastTransaction} is there, and {_last} is the log's last");
            door.Join(LogId);

            // A new leader drops what its predecessor has not finished.
            while (_records is [.., { Record.IsLast: false }])
            {
                _records.RemoveAt(_records.Count - 1);
            }

            foreach ((RedoRecord record, byte[] body) in _records)
            {
                door.ApplyAsync(record, body, CancellationToken.None).AsTask().GetAwaiter().GetResult();
            }

            NumberedRows.Require(door.LastTransaction == _last, $"{door.LastTransaction} was applied, and {_last} is the log's last");
            _parts = door.MakeParts();
            door.Lead(this, _random.Below(2) == 0 ? CommitMode.Buffered : CommitMode.Durable);
        }

        private void End() => End(_environment!, _disk);

        private static void End(StorageEnvironment environment, SimDisk disk)
        {
            disk.PowerOff();
            environment.Database.Abandon();
        }
    }
}
