using System.Buffers.Binary;
using System.IO.Pipelines;
using Voron.Simulation.Crashes;
using Voron.Simulation.Faults;
using Voron.Storage;
using Voron.Storage.Engine;

namespace Voron.Simulation.Engine;

/// <summary>
/// Compactions of files that have lost most of their content, cut or killed at any of their calls, with transactions between their steps:
/// small values, values in runs, placed values and values in pieces; trees whose roots lie at the end. What is acknowledged is there, and
/// nothing else; the structure is sound; and a compaction that is begun anew ends.
/// </summary>
internal static class CompactLane
{
    private const int StatesOfEachSeed = 60;

    /// <summary>Short compactions make fewer calls than that.</summary>
    private const int FewStates = 40;

    internal static CrashStatistics Run(long states)
    {
        var statistics = new CrashStatistics();
        foreach (ulong seed in SimSeed.List((int)Math.Clamp((states + FewStates - 1) / FewStates, 1, 10_000)))
        {
            try
            {
                statistics.Workloads++;
                new Scene(seed, statistics).Play();
            }
            catch (Exception error)
            {
                throw new CrashFailureException($"a compaction, seed {seed}: {error.Message}", error) { Oracle = "O2", Seed = seed };
            }
        }

        return statistics;
    }

    private sealed class Scene(ulong seed, CrashStatistics statistics)
    {
        private const int Trees = 3;
        private const int Keys = 60;

        /// <summary>The key of the number of the transaction, in the first tree.</summary>
        private static readonly byte[] VersionKey = [0xFF];

        private readonly SimRandom _random = new(SimRandom.Mix(seed, 12));
        private readonly SimDisk _disk = new(seed);

        /// <summary>The content after each transaction: the values by tree and key.</summary>
        private readonly List<Dictionary<int, byte[]>> _states = [[]];
        private readonly List<(SimSnapshot Left, int Least, int Most)> _moments = [];
        private StorageEnvironment? _environment;
        private int _acknowledged;

        internal void Play()
        {
            _environment = Open(_disk);
            Prepare();
            using ReadTransaction reader = _random.OneIn(4) ? _environment.BeginRead() : default;
            _disk.OnCall = (_, phase) => Capture(phase);
            Compact(_environment, _random.Between(1, 12), new Steps(MaybeChange));
            _disk.OnCall = null;
            reader.Dispose();
            Require(_environment, _acknowledged, _acknowledged);
            End(_environment, _disk);
            foreach ((SimSnapshot left, int least, int most) in _moments)
            {
                Examine(left, least, most);
            }
        }

        private static void Compact(StorageEnvironment environment, int pages, IProgress<double>? progress) => Compaction.Run(
            environment.Database,
            new CompactOptions { BytesPerSecond = 0, BytesPerTransaction = pages * EngineSubject.PageBytes, LeaveFreeShare = 0 },
            progress,
            CancellationToken.None);

        private static StorageEnvironment Open(SimDisk disk) => StorageEnvironment.Open(EngineSubject.Directory, new StorageOptions
        {
            Engine = new()
            {
                Disk = disk, Background = false, PlacedValueBytes = EngineSubject.PlacedValueBytes, JournalledBytes = 0,
                ValuePieceBytes = EngineSubject.ValuePieceBytes, FreedMarkers = 2, PendingBytes = EngineSubject.PendingBytes,
                PendingLayerBytes = EngineSubject.PendingLayerBytes,
            },
            PageSize = EngineSubject.PageBytes,
            DisposeTimeout = TimeSpan.Zero,
            TimeProvider = FrozenTime.Instance,
        });

        private static void End(StorageEnvironment environment, SimDisk disk)
        {
            disk.PowerOff();
            environment.Database.Abandon();
        }

        /// <summary>Fills the file, and then removes most of what lies at its beginning.</summary>
        private void Prepare()
        {
            for (int i = 0; i < 10; i++)
            {
                Change(Enumerable.Range(0, 14).Select(_ => (NewKey(), NewLength())).ToList());
                if (_random.OneIn(3))
                {
                    _environment!.Checkpoint();
                }
            }

            if (_random.OneIn(2))
            {
                _environment!.Checkpoint();
            }

            List<int> keys = [.. _states[^1].Keys];
            Change(keys.Where(_ => !_random.OneIn(4)).Select(static key => (key, -1)).ToList());
        }

        /// <summary>The last tree comes late, so its root is behind much of what goes.</summary>
        private int NewKey() => _random.Below((_states.Count < 9 ? Trees - 1 : Trees) * Keys);

        private int NewLength() => _random.Below(4) switch
        {
            0 => _random.Between(EngineSubject.PageBytes, EngineSubject.PlacedValueBytes - 1),
            1 => _random.Between(EngineSubject.PlacedValueBytes, 5 * EngineSubject.PageBytes),
            _ => _random.Between(1, 1_900),
        };

        /// <summary>
        /// Between two steps: often nothing, or a few values of any length that come or go; in every second scene always placed ones, so
        /// that some are to be moved before a checkpoint has them.
        /// </summary>
        private void MaybeChange()
        {
            bool areLong = seed % 2 == 1;
            if (_states.Count > 90 || (!areLong && _random.OneIn(2)))
            {
                return;
            }

            List<int> keys = [.. _states[^1].Keys];
            List<(int Key, int Bytes)> changes = [];
            for (int i = _random.Between(1, 4); i > 0; i--)
            {
                bool isGoing = _random.OneIn(areLong ? 2 : 3) && keys.Count > 0;
                int bytes = areLong ? _random.Between(EngineSubject.PlacedValueBytes, 3 * EngineSubject.PageBytes) : NewLength();
                changes.Add(isGoing ? (keys[_random.Below(keys.Count)], -1) : (NewKey(), bytes));
            }

            Change(changes);
        }

        /// <summary>Commits a transaction of changes; a negative length is a deletion, and long values of odd length are streams.</summary>
        private void Change(List<(int Key, int Bytes)> changes)
        {
            Dictionary<int, byte[]> state = new(_states[^1]);
            using WriteTransaction transaction = _environment!.BeginWrite();
            foreach ((int number, int bytes) in changes)
            {
                Tree tree = transaction.OpenTree(NameOf(number));
                byte[] key = KeyOf(number);
                state.Remove(number);
                if (bytes < 0)
                {
                    tree.Delete(key);
                    continue;
                }

                byte[] value = new byte[bytes];
                _random.Fill(value);
                state[number] = value;
                if (bytes > EngineSubject.PlacedValueBytes && (bytes & 1) == 1)
                {
                    PipeWriter writer = tree.OpenValueWriter(key);
                    writer.WriteAsync(value).AsTask().GetAwaiter().GetResult();
                    writer.Complete();
                }
                else
                {
                    tree.Put(key, value);
                }
            }

            transaction.OpenTree(NameOf(0)).Put(VersionKey, BitConverter.GetBytes(_states.Count));
            _states.Add(state);
            transaction.Commit();
            _acknowledged = _states.Count - 1;
        }

        private void Capture(SimPhase phase)
        {
            if (_moments.Count < StatesOfEachSeed && (phase != SimPhase.Before || _random.OneIn(4)) && _random.OneIn(3))
            {
                _moments.Add((_disk.Capture(), _acknowledged, _states.Count - 1));
            }
        }

        private void Examine(SimSnapshot left, int least, int most)
        {
            statistics.Tried++;
            statistics.Opens++;
            bool isKilled = _random.OneIn(4);
            SimDisk disk = isKilled ? left.Kill() : left.Cut(_random.Below(5) switch
            {
                0 => CutChoice.None,
                1 => CutChoice.All,
                _ => CutChoice.Random(_random.Next()),
            });
            StorageEnvironment opened = Open(disk);
            try
            {
                int found = Require(opened, least, most);
                if (_random.OneIn(3))
                {
                    Compact(opened, 8, progress: null);
                    Require(opened, found, found);
                }

                if (_random.OneIn(2))
                {
                    opened.Dispose();
                    opened = Open(disk);
                    Require(opened, found, found);
                }
            }
            finally
            {
                End(opened, disk);
            }
        }

        /// <summary>Returns which state is there; its content must be the one of that transaction, and its structure sound.</summary>
        private int Require(StorageEnvironment environment, int least, int most)
        {
            int found = 0;
            using (ReadTransaction read = environment.BeginRead())
            {
                if (read.TryOpenTree(NameOf(0), out ReadTree first) && first.TryGet(VersionKey, out ReadOnlySpan<byte> version))
                {
                    found = BitConverter.ToInt32(version);
                }

                NumberedRows.Require(found >= least && found <= most, $"transaction {found} instead of {least} to {most}");
                Dictionary<int, byte[]> state = _states[found];
                for (int tree = 0; tree < Trees; tree++)
                {
                    int expected = state.Keys.Count(key => key / Keys == tree) + (tree == 0 && found > 0 ? 1 : 0);
                    long counted = read.TryOpenTree(NameOf(tree * Keys), out ReadTree opened) ? opened.Count : 0;
                    NumberedRows.Require(counted == expected, $"tree {tree} has {counted} entries instead of {expected}");
                }

                foreach ((int number, byte[] value) in state)
                {
                    ReadTree tree = read.OpenTree(NameOf(number));
                    using Cursor cursor = tree.OpenCursor();
                    NumberedRows.Require(
                        cursor.Seek(KeyOf(number)) && cursor.Key.SequenceEqual(KeyOf(number)), $"the value of {number} is missing");
                    NumberedRows.Require(
                        EngineValue.Of(tree, cursor).AsSpan().SequenceEqual(value), $"the value of {number} is another one");
                }
            }

            IReadOnlyList<CheckFinding> findings = environment.Check().Findings;
            NumberedRows.Require(findings.Count == 0, string.Join("; ", findings));
            return found;
        }

        private static string NameOf(int number) => $"tree {number / Keys}";

        private static byte[] KeyOf(int number)
        {
            byte[] key = new byte[4];
            BinaryPrimitives.WriteInt32BigEndian(key, number % Keys);
            return key;
        }

        private sealed class Steps(Action step) : IProgress<double>
        {
            public void Report(double value) => step();
        }
    }
}
