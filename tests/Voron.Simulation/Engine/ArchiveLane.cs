using System.Globalization;
using System.IO.Pipelines;
using Voron.Simulation.Crashes;
using Voron.Simulation.Faults;
using Voron.Storage;
using Voron.Storage.History;
using Voron.Storage.IO;

namespace Voron.Simulation.Engine;

/// <summary>
/// An archive of a full backup and the changes after it, taken beside commits of all modes, checkpoints, kills and power cuts. Whenever the
/// machine is lost, the archive is a database: up to its end, up to any transaction and up to any time. It never has what the source lost.
/// </summary>
internal static class ArchiveLane
{
    private const int StatesOfEachSeed = 5;
    private const int Transactions = 24;

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
                throw new CrashFailureException($"an archive, seed {seed}: {error.Message}", error) { Oracle = "O2", Seed = seed };
            }
        }

        return statistics;
    }

    private sealed class Scene(ulong seed, CrashStatistics statistics)
    {
        private readonly SimRandom _random = new(SimRandom.Mix(seed, 13));
        private readonly SteppedTime _time = new();

        /// <summary>The content after each transaction, and when it was committed.</summary>
        private readonly SortedDictionary<long, (string Content, DateTimeOffset Time)> _states = [];
        private readonly List<byte[]> _archive = [];
        private SimDisk _disk = new(seed);
        private StorageEnvironment? _environment;
        private long _first;
        private long _archived;

        internal void Play()
        {
            _environment = Open(_disk);
            for (int i = 0; i < Transactions; i++)
            {
                Commit();
                if (_random.Below(4) == 0)
                {
                    _environment!.Checkpoint();
                }

                if (i == 3)
                {
                    Begin();
                }
                else if (i > 3 && _random.Below(3) == 0)
                {
                    GoOn();
                    Lose();
                }

                if (_random.Below(6) == 0)
                {
                    Kill();
                }
            }

            GoOn();
            Lose();
            End(_environment!, _disk);
        }

        private StorageEnvironment Open(SimDisk disk) => StorageEnvironment.Open(EngineSubject.Directory, new StorageOptions
        {
            Engine = new()
            {
                Disk = disk, Background = false, FragmentBytes = 9000,
                PlacedValueBytes = seed % 2 == 0 ? EngineSubject.PageBytes : int.MaxValue, JournalledBytes = 0,
            },
            PageSize = EngineSubject.PageBytes,
            DisposeTimeout = TimeSpan.Zero,
            TimeProvider = _time,
            JournalSoftLimitBytes = 256 << 10,
            KeepChangesBytes = 64 << 20,
        });

        private static void End(StorageEnvironment environment, SimDisk disk)
        {
            disk.PowerOff();
            environment.Database.Abandon();
        }

        private void Commit()
        {
            _time.Now += TimeSpan.FromMilliseconds(_random.Below(1500));
            using WriteTransaction transaction = _environment!.BeginWrite();
            Tree tree = transaction.OpenTree("t");
            for (int i = _random.Between(1, 5); i > 0; i--)
            {
                byte[] value = new byte[_random.Between(1, 8000)];
                _random.Fill(value);
                tree.Put([(byte)_random.Below(20)], value);
            }

            long id = transaction.TransactionId;
            transaction.Commit((CommitMode)_random.Below(3));
            _states[id] = (Content(_environment!), _time.Now);
        }

        /// <summary>Takes the full backup.</summary>
        private void Begin()
        {
            using MemoryStream stream = new();
            BackupReport report = _environment!.BackupAsync(PipeWriter.Create(stream)).AsTask().GetAwaiter().GetResult();
            _archive.Add(stream.ToArray());
            _first = _archived = report.TransactionId;
            _states[_first] = (Content(_environment!), _time.Now);
            Keep();
        }

        /// <summary>Takes the changes since the last time.</summary>
        private void GoOn()
        {
            using MemoryStream stream = new();
            BackupReport report = _environment!.BackupChangesAsync(PipeWriter.Create(stream), _archived).AsTask().GetAwaiter().GetResult();
            _archive.Add(stream.ToArray());
            _archived = report.TransactionId;
            Keep();
        }

        private void Keep()
        {
            _environment!.KeepChangesFromAsync("archive", _archived).AsTask().GetAwaiter().GetResult();
            _states[_environment!.GetReport().LastTransactionId] = (Content(_environment!), _time.Now);
        }

        /// <summary>The machine is lost: what is left of the source has all that the archive has, and the archive is restored.</summary>
        private void Lose()
        {
            SimSnapshot left = _disk.Capture();
            var kept = new AtomSet(left.Atoms.Length);
            SimDisk cut = left.Cut(kept);
            statistics.Tried++;
            statistics.Opens++;
            StorageEnvironment opened = Open(cut);
            long newest = opened.GetReport().LastTransactionId;
            End(opened, cut);
            NumberedRows.Require(newest >= _archived, $"the archive has transaction {_archived}, and after a cut {newest} is the last one");
            Restore(new RestoreOptions { AsFollower = true }, _archived, _archived);
            long some = _random.Between((int)_first, (int)_archived);
            Restore(new RestoreOptions { AsFollower = true, UpToTransaction = some }, some, some);

            // The first transaction of each second has noted its time, so those of the same second may come with it.
            DateTimeOffset until = _states[some].Time > _states[_first].Time ? _states[some].Time : _states[_first].Time;
            long least = _states.Last(state => state.Key <= _archived && state.Value.Time <= until).Key;
            long most = _states.Last(state => state.Key <= _archived && Second(state.Value.Time) <= Second(until)).Key;
            Restore(new RestoreOptions { AsFollower = true, UpToTime = until }, least, most);
        }

        private static long Second(DateTimeOffset time) => time.UtcTicks / TimeSpan.TicksPerSecond;

        /// <summary>As a follower, which has no transaction of its own: otherwise one more drops the positions of the source.</summary>
        private void Restore(RestoreOptions options, long least, long most)
        {
            using MemoryDisk disk = new();
            Restore restore = new(options, null, CancellationToken.None);
            PipeReader[] streams = [.. _archive.Select(static stream => PipeReader.Create(new MemoryStream(stream)))];
            long id = restore.FillAsync(
                disk,
                new DatabasePaths("/memory"),
                streams,
                static database => database.GetReport().LastTransactionId).AsTask().GetAwaiter().GetResult();
            NumberedRows.Require(id >= least && id <= most, $"{id} is the last transaction of a restore up to {least} to {most}");
            using StorageEnvironment restored = StorageEnvironment.Open(
                "/memory", new StorageOptions { Engine = new() { Disk = disk, Background = false }, DisposeTimeout = TimeSpan.Zero });
            NumberedRows.Require(restored.Check().IsClean, "the restored database is sound");
            NumberedRows.Require(Content(restored) == _states[id].Content, $"a restore up to transaction {id} has what it had");
        }

        private static string Content(StorageEnvironment environment)
        {
            using ReadTransaction read = environment.BeginRead();
            if (!read.TryOpenTree("t", out ReadTree tree))
            {
                return string.Empty;
            }

            List<string> rows = [];
            foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree)
            {
                rows.Add(string.Create(CultureInfo.InvariantCulture, $"{key[0]} {SimRandom.Mix((ulong)value.Length, value[0])}"));
            }

            return string.Join(' ', rows);
        }

        private void Kill()
        {
            SimDisk killed = _disk.Kill();
            End(_environment!, _disk);
            _disk = killed;
            _environment = Open(_disk);
            long newest = _environment.GetReport().LastTransactionId;
            foreach (long lost in _states.Keys.Where(id => id > newest).ToList())
            {
                _states.Remove(lost);
            }
        }

        private sealed class SteppedTime : TimeProvider
        {
            internal DateTimeOffset Now { get; set; } = DateTimeOffset.UnixEpoch.AddYears(50);

            public override long GetTimestamp() => 0;

            public override DateTimeOffset GetUtcNow() => Now;
        }
    }
}
