using Spectre.Console;
using Voron.Bench.Io;
using Voron.Bench.Peers;

namespace Voron.Bench.Measuring;

/// <summary>What all groups of a run share: the folder, the probe, the command line, and data that was already made.</summary>
internal sealed class BenchRun : IDisposable
{
    private const int SecondsOfWait = 10;
    private const int MostSecondsToWait = 300;

    private readonly RawLimit _limit;
    private readonly Dictionary<(int Items, int ValueBytes, bool Constant), DataSet> _data = [];
    private readonly Dictionary<string, CommitWaits?> _waits = [];
    private double _fastestMicroseconds;
    private double _secondsToWait;

    internal BenchRun(Arguments arguments)
    {
        Arguments = arguments;
        _secondsToWait = MostSecondsToWait * Math.Min(1, arguments.Scale) - SecondsOfWait;
        Workspace = new Workspace(arguments.Directory);
        AnsiConsole.WriteLine(Machine.Description);
        _limit = new RawLimit(Workspace.Root);
        Verbs.RawVerb.WarnAboutCache(_limit);
        _limit.Measure();
        _fastestMicroseconds = _limit.Measure().Microseconds;
    }

    internal Arguments Arguments { get; }

    internal Workspace Workspace { get; }

    internal RawLimit Limit => _limit;

    /// <summary>A count of the full run, made smaller as the command line asks.</summary>
    internal int Scaled(int count, int least = 1) => Math.Max(least, (int)(count * Arguments.Scale));

    /// <summary>Items with their values; made once, and only the last few kept.</summary>
    internal DataSet Data(int items, int valueBytes = DataSet.ValueBytes, bool constantValues = false)
    {
        const int MostKept = 3;
        (int, int, bool) shape = (items, valueBytes, constantValues);
        if (!_data.TryGetValue(shape, out DataSet? data))
        {
            if (_data.Count == MostKept)
            {
                _data.Clear();
            }

            data = new DataSet(items, Arguments.Seed, valueBytes, constantValues);
            _data.Add(shape, data);
        }

        return data;
    }

    /// <summary>How the commits of a store wait for the device, asked once a run; null where their calls cannot be traced.</summary>
    internal CommitWaits? WaitsOf(StoreKind kind)
    {
        if (!_waits.TryGetValue(kind.Name, out CommitWaits? waits))
        {
            waits = CommitWaits.Prove(this, kind);
            _waits.Add(kind.Name, waits);
        }

        return waits;
    }

    /// <summary>Why a store cannot be compared here; null when it can.</summary>
    internal string? RefusalOf(StoreKind kind) => kind.InstallLine ?? WaitsOf(kind)?.Refusal;

    /// <summary>How a store commits, and whether that is only its word.</summary>
    internal string DurabilityOf(StoreKind kind) =>
        kind.InstallLine is null && WaitsOf(kind) is null ? $"{kind.Durability}; {CommitWaits.Unproved}" : kind.Durability;

    internal Probe Probe(ProbeSize size) => _limit.Measure(size.WriteBytes, Math.Min(size.Writes, Scaled(size.Writes, 100)));

    /// <summary>
    /// Waits until the device is about as fast as it was at its best: after long heavy writing some do a hundred synced writes a second for
    /// minutes. A run has so much time to spend on this; afterwards rows are marked as disturbed, by their probes.
    /// </summary>
    internal void AwaitCalm()
    {
        const double Worst = 4;
        while (_secondsToWait > 0)
        {
            double now = _limit.Measure(writes: 100).Microseconds;
            if (now < Worst * _fastestMicroseconds)
            {
                _fastestMicroseconds = Math.Min(_fastestMicroseconds, now);
                return;
            }

            AnsiConsole.WriteLine($"the device is slow ({now:N0} µs a write, {_fastestMicroseconds:N0} at its best): waiting");
            Thread.Sleep(TimeSpan.FromSeconds(SecondsOfWait));
            _secondsToWait -= SecondsOfWait;
        }
    }

    public void Dispose()
    {
        _limit.Dispose();
        Workspace.Dispose();
    }
}
