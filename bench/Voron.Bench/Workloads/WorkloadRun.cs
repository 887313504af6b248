using System.Diagnostics;
using System.Globalization;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;
using Voron.Storage;

namespace Voron.Bench.Workloads;

/// <summary>One round of a workload on one engine: fill, work, close, and look on the reopened database whether all is there.</summary>
internal sealed class WorkloadRun
{
    /// <summary>How the note of a round begins that did not run all of its transactions.</summary>
    internal const string EndedEarly = "ended early: ";

    /// <summary>A whole round runs so long before its rate tells how long all of it would take.</summary>
    private const double SecondsUntilJudged = 30;

    private const int ItemsPerFillTransaction = 10_000;
    private const int SampledKeys = 1_000;
    private const int MixedReads = 75;

    private readonly StoreKind _kind;
    private readonly Workload _workload;
    private readonly DataSet _data;
    private readonly int[] _order;
    private readonly Questions[] _reads;
    private readonly double _capSeconds;
    private int _transactions;

    private WorkloadRun(StoreKind kind, Workload workload, DataSet data, double capSeconds)
    {
        _kind = kind;
        _workload = workload;
        _data = data;
        _capSeconds = capSeconds;
        _order = workload.Step is WorkStep.Fill
            ? []
            : new RandomBytes(0x0E).Permutation(workload.Prefilled);
        _reads = workload.Step == WorkStep.Mixed ? [.. Enumerable.Range(0, workload.Transactions).Select(ReadsOf)] : [];
    }

    /// <summary>One round in a fresh folder, which is gone afterwards. Only a peer ends early.</summary>
    internal static Measured Once(BenchRun run, StoreKind kind, Workload workload)
    {
        double cap = kind.IsOurs || workload.IsOneTransaction ? 3600
            : workload.IsWhole ? run.Arguments.WholeCapSeconds
            : run.Arguments.CapSeconds;
        WorkloadRun round = new(kind, workload, run.Data(workload.Items, workload.ValueBytes, run.Arguments.HasConstantValues), cap);
        string folder = run.Workspace.NextDatabase();
        Measured measured = round.Run(folder);
        Workspace.Remove(folder);
        return measured;
    }

    private Measured Run(string folder)
    {
        Measured measured;
        using (Meter meter = Prepare(folder, out IStore store))
        {
            Latencies[] latencies = [.. Enumerable.Range(0, _workload.Threads).Select(_ => new Latencies(_workload.Transactions))];
            EnvironmentReport? before = (store as OurStore)?.Environment.GetReport();
            Threads.Run(_workload.Threads, thread => Work(store, thread, latencies[thread]));
            meter.Stop((long)_transactions * _workload.PerTransaction, Latencies.Together(latencies));
            EnvironmentReport? after = (store as OurStore)?.Environment.GetReport();
            meter.Close(store);
            measured = meter.ToMeasured().WithCounts(before, after);
        }

        Verify(folder);
        return measured with
        {
            DiskBytes = DiskUse.Of(folder),
            Note = NoteOf(_transactions),
        };
    }

    private string? NoteOf(int done) => done == _workload.Transactions ? null : string.Create(
        CultureInfo.InvariantCulture,
        $"{EndedEarly}{done:N0} of {_workload.Transactions:N0} tx"
        + $"{(_workload.IsWhole ? $"; all would have taken more than {_capSeconds:N0} s" : string.Empty)}");

    private Meter Prepare(string folder, out IStore store)
    {
        store = _kind.Open(folder);
        if (_workload.Prefilled > 0)
        {
            using IStoreWriter writer = store.OpenWriter();
            PutMany(writer, _data, _workload.Order, _workload.Prefilled);
        }

        return new Meter(folder);
    }

    /// <summary>Fills quickly; what is timed comes later.</summary>
    internal static void PutMany(IStoreWriter writer, DataSet data, KeyOrder order, int items)
    {
        for (int first = 0; first < items; first += ItemsPerFillTransaction)
        {
            writer.Begin();
            for (int item = first; item < Math.Min(items, first + ItemsPerFillTransaction); item++)
            {
                writer.Put(data.Key(order, item), data.Value(item));
            }

            writer.Commit();
        }

        writer.Finish();
    }

    /// <summary>Whether a thread goes on. A round that would take too long as a whole is not run for all of that time.</summary>
    private bool GoesOn(double seconds, int done) => seconds < _capSeconds
        && (!_workload.IsWhole || seconds < SecondsUntilJudged || seconds / done * _workload.Transactions < _capSeconds);

    private void Work(IStore store, int thread, Latencies latencies)
    {
        using IStoreWriter writer = store.OpenWriter();
        long start = Stopwatch.GetTimestamp();
        long last = start;
        int done = 0;
        for (int transaction = thread;
            transaction < _workload.Transactions && GoesOn(Stopwatch.GetElapsedTime(start, last).TotalSeconds, done);
            transaction += _workload.Threads)
        {
            writer.Begin();
            for (int i = 0; i < _workload.PutsPerTransaction; i++)
            {
                Change(writer, (transaction * _workload.PutsPerTransaction) + i);
            }

            writer.Commit();
            if (_workload.Step == WorkStep.Mixed)
            {
                Demands.Count($"{_kind.Name}: mixed get", store.Get(_reads[transaction]), MixedReads);
            }

            long now = Stopwatch.GetTimestamp();
            latencies.Add(last, now);
            last = now;
            done++;
        }

        writer.Finish();
        Interlocked.Add(ref _transactions, done);
    }

    private void Change(IStoreWriter writer, int change)
    {
        switch (_workload.Step)
        {
            case WorkStep.Overwrite:
                int item = _order[change % _order.Length];
                writer.Put(_data.Key(_workload.Order, item), _data.Value(OtherValueOf(item)));
                break;
            case WorkStep.Delete:
                writer.Delete(_data.Key(_workload.Order, _order[change]));
                break;
            default:
                int added = _workload.Prefilled + change;
                writer.Put(_data.Key(_workload.Order, added), _data.Value(added));
                break;
        }
    }

    private Questions ReadsOf(int transaction)
    {
        RandomBytes random = new((ulong)transaction);
        int[] asked = [.. Enumerable.Range(0, MixedReads).Select(_ => _order[random.Below(_order.Length)])];
        return new Questions(_data, _workload.Order, asked, static item => item);
    }

    private int OtherValueOf(int item) => _workload.Prefilled - 1 - item;

    /// <summary>
    /// Every thread ran its transactions from the first on, so what is there is known also after an early end of one thread.
    /// </summary>
    private void Verify(string folder)
    {
        using IStore store = _kind.Open(folder);
        int changes = _transactions * _workload.PutsPerTransaction;
        long expected = _workload.Step switch
        {
            WorkStep.Overwrite => _workload.Prefilled,
            WorkStep.Delete => _workload.Prefilled - changes,
            _ => _workload.Prefilled + changes,
        };
        string what = $"{_kind.Name}, {_workload.Name}, after reopening";
        ScanResult met = store.Scan();
        Demands.Count(what, met.Entries, expected);
        Demands.Count($"{what}, bytes", met.Bytes, expected * (DataSet.KeyBytes + _data.BytesPerValue));
        if (_workload.Threads == 1 && changes > 0)
        {
            Questions sampled = Sample(changes);
            Demands.Count($"{what}, sampled", store.Match(sampled), _workload.Step == WorkStep.Delete ? 0 : sampled.Count);
        }
    }

    /// <summary>Some of the items that were changed, with the value that they must have.</summary>
    private Questions Sample(int changes)
    {
        int count = Math.Min(changes, SampledKeys);
        IEnumerable<int> places = Enumerable.Range(0, count).Select(sample => (int)((long)sample * changes / count));
        return _workload.Step switch
        {
            WorkStep.Overwrite => new Questions(
                _data, _workload.Order, [.. places.Select(place => _order[place % _order.Length])], OtherValueOf),
            WorkStep.Delete => new Questions(_data, _workload.Order, [.. places.Select(place => _order[place])], static item => item),
            _ => new Questions(_data, _workload.Order, [.. places.Select(place => _workload.Prefilled + place)], static item => item),
        };
    }
}
