using Voron.Simulation.Crashes;
using Voron.Simulation.Faults;
using Voron.Storage;
using Voron.Storage.Typed;

namespace Voron.Simulation.Engine;

/// <summary>
/// A table whose indexes are built while it is written, cut or killed at any call. Whatever is left: the rows are those of a transaction,
/// the indexes are those of the rows as far as they are built, and a build that was cut goes on where it was and ends.
/// </summary>
internal static class TableLane
{
    private const int StatesOfEachSeed = 40;

    internal static CrashStatistics Run(long states)
    {
        var statistics = new CrashStatistics();
        foreach (ulong seed in SimSeed.List(1_000_000).TakeWhile(_ => statistics.Tried < states))
        {
            try
            {
                statistics.Workloads++;
                new Scene(seed, statistics).Play();
            }
            catch (Exception error)
            {
                throw new CrashFailureException($"a table, seed {seed}: {error.Message}", error) { Oracle = "O2", Seed = seed };
            }
        }

        return statistics;
    }

    private sealed class Scene(ulong seed, CrashStatistics statistics)
    {
        private const int Keys = 90;
        private const string VersionTree = "version";

        private static readonly byte[] VersionKey = [1];

        private readonly SimRandom _random = new(SimRandom.Mix(seed, 13));
        private readonly SimDisk _disk = new(seed);

        /// <summary>The content after each transaction that changed rows.</summary>
        private readonly List<Content> _states = [new([], 0)];
        private readonly List<(SimSnapshot Left, int Least, int Most, long Entries)> _moments = [];
        private StorageEnvironment? _environment;
        private int _acknowledged;

        /// <summary>Entries of indexes after the last transaction of the build that was made durable.</summary>
        private long _entries;

        /// <summary>In every second scene nothing is written beside the build, so that its entries only become more.</summary>
        private bool IsQuiet => seed % 2 == 0;

        /// <summary>In some scenes so little that a build reads the rows several times.</summary>
        private int MemoryOfBuild => seed % 3 == 1 ? 900 : 1 << 20;

        internal void Play()
        {
            _environment = Open(_disk);
            Prepare();
            _disk.OnCall = (_, phase) => Capture(phase);
            int part = 0;
            while (!Build(_environment, _states[^1], _random.Between(2, 12), Beside, isCut: part++ < 3 && _random.OneIn(3)))
            {
                Beside();
            }

            _entries = 0;
            for (int i = 0; i < 4; i++)
            {
                Change(TableRow.Indexed);
            }

            _disk.OnCall = null;
            Require(_environment, _acknowledged, _acknowledged);
            End(_environment, _disk);
            foreach ((SimSnapshot left, int least, int most, long entries) in _moments)
            {
                Examine(left, least, most, entries);
            }
        }

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

        /// <summary>
        /// Builds all indexes, a few rows in each transaction; true when they are ready. Two rows with one number, which only a program
        /// that knows no index can have put there, are found, and one of them is deleted.
        /// </summary>
        private bool Build(StorageEnvironment environment, Content content, int rows, Action? beside, bool isCut)
        {
            using CancellationTokenSource stop = new();
            Steps steps = new(() =>
            {
                if (_random.OneIn(3))
                {
                    // Steps of a build are lazy commits.
                    environment.Flush();
                    using ReadTransaction read = environment.BeginRead();
                    _entries = TableRow.EntriesOfIndexes(read);
                }

                beside?.Invoke();
                if (isCut && _random.OneIn(6))
                {
                    stop.Cancel();
                }
            });
            try
            {
                IndexBuild build = new() { RowsPerTransaction = rows, MemoryBytes = MemoryOfBuild };
                environment.BuildIndexesAsync(TableRow.Indexed, build, steps, stop.Token).GetAwaiter().GetResult();
                return true;
            }
            catch (OperationCanceledException) when (isCut)
            {
                return false;
            }
            catch (UniqueIndexException) when (content.Duplicate is not null)
            {
                // The index is dropped, with its entries.
                _entries = 0;
                return false;
            }
        }

        /// <summary>Fills the table without indexes; in some scenes with two rows that no unique index can have.</summary>
        private void Prepare()
        {
            for (int i = 0; i < 8; i++)
            {
                Change(TableRow.Plain);
                if (_random.OneIn(3))
                {
                    _environment!.Checkpoint();
                }
            }

            if (seed % 5 == 3)
            {
                Change(TableRow.Plain, (rows, state) =>
                {
                    TableRow one = state.Rows.Values.First(static row => row.Number >= 0);
                    Put(rows, state, one with { Id = Keys + 1 });
                });
            }
        }

        /// <summary>Between two transactions of a build.</summary>
        private void Beside()
        {
            if (_states[^1].Duplicate is { } duplicate && _random.OneIn(3))
            {
                Change(TableRow.Indexed, (rows, state) => Delete(rows, state, duplicate));
            }

            if (!IsQuiet && _states.Count < 60 && _random.OneIn(2))
            {
                Change(TableRow.Indexed);
            }

            if (_random.OneIn(12))
            {
                _environment!.Checkpoint();
            }
        }

        private void Change(TableDefinition<int, TableRow> definition) => Change(definition, (rows, state) =>
        {
            for (int i = _random.Between(1, 8); i > 0; i--)
            {
                Change(rows, state, _random.Below(Keys));
            }
        });

        /// <summary>
        /// Commits a transaction; in one of a few there are changes around a savepoint that are undone, and in one of a few all are.
        /// </summary>
        private void Change(TableDefinition<int, TableRow> definition, Action<Table<int, TableRow>, Content> change)
        {
            Content state = _states[^1].Copy();
            using WriteTransaction transaction = _environment!.BeginWrite();
            Table<int, TableRow> rows = transaction.OpenTable(definition);
            change(rows, state);
            if (_random.OneIn(4))
            {
                Savepoint before = transaction.CreateSavepoint();
                Content undone = state.Copy();
                Change(rows, undone, _random.Below(Keys));
                Change(rows, undone, _random.Below(Keys));
                transaction.RollbackTo(before);
                transaction.Release(before);
            }

            if (_random.OneIn(4))
            {
                state.LastId = rows.NextId();
            }

            if (_random.OneIn(6))
            {
                return;
            }

            transaction.OpenTree(VersionTree).Put(VersionKey, BitConverter.GetBytes(_states.Count));
            _states.Add(state);
            transaction.Commit();
            _acknowledged = _states.Count - 1;
        }

        private void Change(Table<int, TableRow> rows, Content state, int id)
        {
            bool exists = state.Rows.ContainsKey(id);
            if (_random.OneIn(4))
            {
                Delete(rows, state, id);
            }
            else if (exists && _random.OneIn(3))
            {
                int group = _random.Below(9);
                NumberedRows.Require(
                    rows.Update(id, static (row, group) => row with { Group = group }, group), $"the row {id} is there to be changed");
                state.Rows[id] = state.Rows[id] with { Group = group };
            }
            else
            {
                // Each row has two numbers of its own, but one with the number of another row may be there already.
                int number = (id * 2) + _random.Below(2);
                bool isFree = state.Rows.Values.All(other => other.Id == id || other.Number != number);
                number = _random.OneIn(5) || !isFree ? -1 : number;
                int bytes = _random.OneIn(12) ? _random.Between(2_000, 7_000) : _random.Below(120);
                Put(rows, state, new TableRow(id, number, _random.Below(9), _random.Below(4), bytes));
            }
        }

        private static void Put(Table<int, TableRow> rows, Content state, TableRow row)
        {
            rows.Put(row);
            state.Rows[row.Id] = row;
        }

        private static void Delete(Table<int, TableRow> rows, Content state, int id) => NumberedRows.Require(
            rows.Delete(id) == state.Rows.Remove(id), $"the row {id} is deleted if it was there");

        private void Capture(SimPhase phase)
        {
            if (_moments.Count < StatesOfEachSeed && (phase != SimPhase.Before || _random.OneIn(4)) && _random.OneIn(4))
            {
                _moments.Add((_disk.Capture(), _acknowledged, _states.Count - 1, _entries));
            }
        }

        private void Examine(SimSnapshot left, int least, int most, long entries)
        {
            statistics.Tried++;
            statistics.Opens++;
            SimDisk disk = _random.OneIn(4) ? left.Kill() : left.Cut(_random.Below(5) switch
            {
                0 => CutChoice.None,
                1 => CutChoice.All,
                _ => CutChoice.Random(_random.Next()),
            });
            StorageEnvironment opened = Open(disk);
            try
            {
                Content content = Require(opened, least, most);
                RequireProgress(opened, content, entries);
                GoOn(opened, content);
                if (_random.OneIn(2))
                {
                    opened.Dispose();
                    opened = Open(disk);
                    RequireReady(opened, content);
                }
            }
            finally
            {
                End(opened, disk);
            }
        }

        /// <summary>What a build has made durable is not done again, which only shows where nothing else changes the indexes.</summary>
        private void RequireProgress(StorageEnvironment environment, Content content, long entries)
        {
            if (!IsQuiet || content.Duplicate is not null || seed % 5 == 3)
            {
                return;
            }

            using ReadTransaction read = environment.BeginRead();
            long found = TableRow.EntriesOfIndexes(read);
            NumberedRows.Require(found >= entries, $"the indexes have {found} entries, and {entries} were durable");
        }

        /// <summary>The next life of the program: it writes, and builds what is not built.</summary>
        private void GoOn(StorageEnvironment environment, Content content)
        {
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                Table<int, TableRow> rows = transaction.OpenTable(TableRow.Indexed);
                Change(rows, content, _random.Below(Keys));
                long next = rows.NextId();
                NumberedRows.Require(next == content.LastId + 1, $"the number behind {content.LastId} is {next}");
                content.LastId = next;
                if (content.Duplicate is { } duplicate)
                {
                    Delete(rows, content, duplicate);
                }

                transaction.Commit();
            }

            NumberedRows.Require(Build(environment, content, 25, beside: null, isCut: false), "the indexes are built");
            RequireReady(environment, content);
        }

        private static void RequireReady(StorageEnvironment environment, Content content)
        {
            using (ReadTransaction read = environment.BeginRead())
            {
                RequireRows(read, content);
                TableRow.RequireIndexes(read.OpenTable(TableRow.Indexed), content.Rows.Values);
            }

            IReadOnlyList<CheckFinding> findings = environment.Check().Findings;
            NumberedRows.Require(findings.Count == 0, string.Join("; ", findings));
        }

        /// <summary>Returns a copy of the content that is there: that of one of the transactions, in a sound structure.</summary>
        private Content Require(StorageEnvironment environment, int least, int most)
        {
            int found = 0;
            using (ReadTransaction read = environment.BeginRead())
            {
                if (read.TryOpenTree(VersionTree, out ReadTree version) && version.TryGet(VersionKey, out ReadOnlySpan<byte> number))
                {
                    found = BitConverter.ToInt32(number);
                }

                NumberedRows.Require(found >= least && found <= most, $"transaction {found} instead of {least} to {most}");
                RequireRows(read, _states[found]);
            }

            IReadOnlyList<CheckFinding> findings = environment.Check().Findings;
            NumberedRows.Require(findings.Count == 0, string.Join("; ", findings));
            return _states[found].Copy();
        }

        private static void RequireRows(ReadTransaction read, Content content)
        {
            ReadTable<int, TableRow> table = read.OpenTable(TableRow.Indexed);
            NumberedRows.Require(table.Count == content.Rows.Count, $"there are {table.Count} rows instead of {content.Rows.Count}");
            foreach (TableRow row in table)
            {
                NumberedRows.Require(content.Rows.GetValueOrDefault(row.Id) == row, $"the row {row.Id} is another one");
            }

            IReadOnlyList<TableFinding> differences = table.Check();
            NumberedRows.Require(differences.Count == 0, string.Join("; ", differences.Select(static finding => finding.Message)));
        }

        /// <summary>Rows by their keys, and the last number of the sequence.</summary>
        private sealed class Content(SortedDictionary<int, TableRow> rows, long lastId)
        {
            internal SortedDictionary<int, TableRow> Rows { get; } = rows;

            internal long LastId { get; set; } = lastId;

            /// <summary>A row with the number of another one.</summary>
            internal int? Duplicate => Rows.Values.Where(static row => row.Number >= 0).GroupBy(static row => row.Number)
                .FirstOrDefault(static same => same.Count() > 1)?.Last().Id;

            internal Content Copy() => new(new SortedDictionary<int, TableRow>(Rows), LastId);
        }

        private sealed class Steps(Action step) : IProgress<double>
        {
            public void Report(double value) => step();
        }
    }
}
