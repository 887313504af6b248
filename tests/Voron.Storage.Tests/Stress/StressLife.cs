using System.Collections.Concurrent;
using System.Diagnostics;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Tests.Doors;
using Voron.Storage.Transactions;

namespace Voron.Storage.Tests.Stress;

/// <summary>
/// One life of an environment under real threads: writers with every operation, readers that compare every value with an immutable model of
/// their snapshot, checkpoints and scrubs all the time. Page size, memory or files, limits and what each thread does follow from the seed;
/// what the threads meet does not.
/// </summary>
internal sealed class StressLife : IDisposable
{
    /// <summary>Names of trees.</summary>
    internal const int Trees = 4;

    /// <summary>Numbers of keys in a tree.</summary>
    internal const int Keys = 500;

    /// <summary>Names the seed of one life that is to be repeated.</summary>
    internal const string SeedVariable = "VORON_STRESS_SEED";

    /// <summary>Names how many seconds the lane runs.</summary>
    internal const string SecondsVariable = "VORON_STRESS_SECONDS";

    private static readonly int[] Pages = [4096, 8192, 16384, 32768, 65536];

    private readonly Random _random;
    private readonly TemporaryFolder? _folder;
    private readonly StorageOptions _options;
    private readonly List<Thread> _threads = [];
    private readonly ConcurrentQueue<ReadTransaction> _handed = new();
    private Exception? _failure;
    private bool _isOver;

    internal StressLife(int seed)
    {
        Seed = seed;
        _random = new Random(seed);
        PageBytes = Pages[seed % Pages.Length];
        _folder = _random.Next(3) == 0 ? new TemporaryFolder() : null;
        _options = new StorageOptions
        {
            Engine = new()
            {
                PlacedValueBytes = PageBytes * _random.Next(2, 12), JournalledBytes = PageBytes * _random.Next(24),
                PendingBytes = _random.Next(2) == 0 ? PageBytes * _random.Next(1, 200) : null,
                PendingLayerBytes = _random.Next(2) * PageBytes * 300L,
                ValuePieceBytes = PageBytes * _random.Next(1, 4),
                FreedMarkers = _random.Next(2) == 0 ? 6 : 4096, Background = _random.Next(4) != 0,
            },
            PageSize = PageBytes, MaxDirtyBytes = (1 << 20) << _random.Next(5), JournalSoftLimitBytes = 256 << 10 << _random.Next(6),
            DisposeTimeout = TimeSpan.FromMinutes(1),
        };
        Environment = _folder is null ? StorageEnvironment.OpenInMemory(_options) : StorageEnvironment.Open(_folder.Path, _options);
        Model.Set(Environment.GetReport().LastTransactionId, StressModel.Empty);
    }

    internal int Seed { get; }

    internal int PageBytes { get; }

    internal StorageEnvironment Environment { get; private set; }

    internal StressModel Model { get; } = new();

    /// <summary>All threads end.</summary>
    internal bool IsOver => Volatile.Read(ref _isOver);

    /// <summary>Values that readers compared.</summary>
    internal long Reads { get; private set; }

    /// <summary>Snapshots that were begun, cloned or renewed.</summary>
    internal long Snapshots { get; private set; }

    internal static string TreeName(int number) => $"t{number}";

    public void Dispose()
    {
        if (_failure is null)
        {
            Environment.Dispose();
        }
        else
        {
            Environment.Database.Abandon();
        }

        _folder?.Dispose();
    }

    /// <summary>A snapshot that one thread has begun goes on with another.</summary>
    internal void HandOver(ReadTransaction reader) => _handed.Enqueue(reader);

    internal bool TryTake(out ReadTransaction reader) => _handed.TryDequeue(out reader);

    /// <summary>Lets the threads work for so long, and judges what is left.</summary>
    internal void Run(TimeSpan time)
    {
        List<StressReader> readers = [];
        for (int i = _random.Next(2, 4); i > 0; i--)
        {
            readers.Add(new StressReader(this, _random.Next()));
            Start(readers[^1].Run);
        }

        for (int i = _random.Next(1, 4); i > 0; i--)
        {
            Start(new StressWriter(this, _random.Next()).Run);
        }

        int rest = _random.Next(3) == 0 ? 20 : 0;
        int scrub = _random.Next(2, 30);
        Start(() => Checkpoint(rest, scrub));
        long began = Stopwatch.GetTimestamp();
        while (!IsOver && Stopwatch.GetElapsedTime(began) < time)
        {
            Thread.Sleep(10);
        }

        Volatile.Write(ref _isOver, true);
        _threads.ForEach(static thread => thread.Join());
        while (TryTake(out ReadTransaction left))
        {
            left.Dispose();
        }

        try
        {
            if (_failure is null)
            {
                Judge();
            }
        }
        catch (Exception error)
        {
            _failure = error;
        }

        foreach (StressReader reader in readers)
        {
            Reads += reader.Reads;
            Snapshots += reader.Snapshots;
        }

        if (_failure is not null)
        {
            throw new InvalidDataException(
                $"{_failure.Message} ({this}; {Snapshots} snapshots, {Reads} reads, {Model.Last} transactions; "
                + $"another such life: {SeedVariable}={Seed})",
                _failure);
        }
    }

    public override string ToString() => $"seed {Seed}, pages of {PageBytes}, {(_folder is null ? "in memory" : "on files")}, "
        + $"at most {_options.MaxDirtyBytes} dirty, background {_options.Engine.Background}";

    private void Start(Action work)
    {
        Thread thread = new(() =>
        {
            try
            {
                work();
            }
            catch (Exception error)
            {
                Interlocked.CompareExchange(ref _failure, error, null);
                Volatile.Write(ref _isOver, true);
            }
        });
        thread.Start();
        _threads.Add(thread);
    }

    private void Checkpoint(int restMilliseconds, int scrub)
    {
        for (int i = 1; !IsOver; i++)
        {
            Environment.Checkpoint();
            if (i % scrub == 0)
            {
                Check(i / scrub % 2 == 0 ? Environment.Check() : Environment.Check(long.MaxValue));
            }

            Thread.Sleep(restMilliseconds == 0 ? 0 : i % restMilliseconds);
        }
    }

    private static void Check(CheckReport report)
    {
        if (!report.IsClean)
        {
            throw new InvalidDataException($"a check says: {string.Join("; ", report.Findings.Take(4))}");
        }
    }

    /// <summary>Nothing is kept for readers that are gone, the database is sound, and the next open finds what was there.</summary>
    private void Judge()
    {
        Environment.Flush();
        using (WriteTransaction last = Environment.BeginWrite())
        {
            last.OpenTree(TreeName(0)).Put("last"u8, "x"u8);
            last.Commit(CommitMode.Lazy);
        }

        using (WriteTransaction undo = Environment.BeginWrite())
        {
            undo.OpenTree(TreeName(0)).Delete("last"u8);
            var state = Model.At(Model.Last);
            Model.Set(undo.TransactionId, state.ContainsKey(TreeName(0)) ? state : state.Add(TreeName(0), StressModel.NoRows));
            undo.Commit(CommitMode.Durable);
        }

        Environment.Checkpoint();
        RequireNothingRetained();
        ReadAll();
        Check(Environment.Check());
        if (_folder is null)
        {
            return;
        }

        if (_random.Next(2) == 0)
        {
            Environment.Dispose();
        }
        else
        {
            Environment.Database.Abandon();
        }

        Environment = StorageEnvironment.Open(_folder.Path, _options);
        ReadAll();
        Check(Environment.Check());
    }

    /// <summary>
    /// The beginning of a write frees what no reader sees; a checkpoint of the background may have left more for the next.
    /// </summary>
    private void RequireNothingRetained()
    {
        const int MostTries = 100;
        long retained = long.MaxValue;
        for (int i = 0; i < MostTries && retained > 0; i++)
        {
            Environment.BeginWrite().Dispose();
            retained = Environment.GetReport().RetainedVersions;
        }

        if (retained > 0)
        {
            throw new InvalidDataException($"{retained} versions are kept for no reader");
        }
    }

    private void ReadAll()
    {
        using ReadTransaction reader = Environment.BeginRead();
        if (reader.TransactionId != Model.Last)
        {
            throw new InvalidDataException($"transaction {reader.TransactionId} is the last, not {Model.Last}");
        }

        new StressReader(this, 0).ReadAll(reader);
    }
}
