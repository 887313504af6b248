using System.Diagnostics.Metrics;
using Microsoft.Extensions.Hosting;

namespace Voron.Storage.Replication.Hosting;

/// <summary>All nodes of a host, in the order in which they were asked for.</summary>
internal sealed class ReplicaSet : IAsyncDisposable
{
    private readonly IServiceProvider _provider;
    private readonly VoronReplicaBuilder[] _builders;
    private readonly string _root;
    private readonly Meter _meter;
    private readonly SemaphoreSlim _opening = new(1);
    private readonly Dictionary<string, Replica> _nodes = [];
    private readonly List<IAsyncDisposable> _places = [];

    public ReplicaSet(
        IServiceProvider provider, IEnumerable<VoronReplicaBuilder> builders, IHostEnvironment? host = null, IMeterFactory? meters = null)
    {
        _provider = provider;
        _builders = [.. builders];
        _root = host?.ContentRootPath ?? Directory.GetCurrentDirectory();
        _meter = meters?.Create(VoronReplicaTelemetry.MeterName) ?? new Meter(VoronReplicaTelemetry.MeterName);
        Gauge("voron.replica.lag", "{entry}", "Entries of the log that the node has not read.", static status => status.Lag);
        Gauge("voron.replica.position", "{entry}", "The last entry of the log that was read.", static status => status.Position);
        Gauge("voron.replica.transaction", "{transaction}", "The last transaction that is visible.", static status => status.TransactionId);
        Gauge("voron.replica.epoch", "{epoch}", "How often a node has begun to lead.", static status => status.Epoch);
        Gauge("voron.replica.leads", "1", "1 on the node that leads.", static status => status.Role == ReplicaRole.Leader ? 1 : 0);
        Gauge("voron.replica.stopped", "1", "1 on a node that has stopped.", static status => status.Role == ReplicaRole.Stopped ? 1 : 0);
        Gauge("voron.replica.voids", "{entry}", "Entries of the log that counted for nothing.", static status => status.Voids);
    }

    /// <summary>A node, which has to be open.</summary>
    internal Replica Get(string name) => Find(name) ?? throw new InvalidOperationException(
        $"The replica '{name}' is not open yet: it is opened when the host starts.");

    internal Replica? Find(string name)
    {
        lock (_nodes)
        {
            return _nodes.GetValueOrDefault(name);
        }
    }

    internal async Task OpenAsync(CancellationToken cancellation)
    {
        await _opening.WaitAsync(cancellation).ConfigureAwait(false);
        try
        {
            foreach (VoronReplicaBuilder builder in _builders)
            {
                Replica node = await OpenAsync(builder, cancellation).ConfigureAwait(false);
                lock (_nodes)
                {
                    _nodes.Add(builder.Name, node);
                }
            }
        }
        finally
        {
            _opening.Release();
        }
    }

    public async ValueTask DisposeAsync()
    {
        Replica[] nodes;
        lock (_nodes)
        {
            nodes = [.. _nodes.Values.Reverse()];
            _nodes.Clear();
        }

        foreach (Replica node in nodes)
        {
            await node.DisposeAsync().ConfigureAwait(false);
        }

        foreach (IAsyncDisposable place in _places)
        {
            await place.DisposeAsync().ConfigureAwait(false);
        }

        _places.Clear();
        _meter.Dispose();
    }

    private async ValueTask<Replica> OpenAsync(VoronReplicaBuilder builder, CancellationToken cancellation)
    {
        ReplicaOptions options = new() { NodeName = builder.Name };
        builder.Configure?.Invoke(options);
        if (builder.Snapshots is { } snapshots)
        {
            options.Snapshots = await snapshots(_provider, cancellation).ConfigureAwait(false);
            if (options.Snapshots is IAsyncDisposable place)
            {
                _places.Add(place);
            }
        }

        if (builder.Log is null)
        {
            throw new InvalidOperationException(
                $"The replica '{builder.Name}' has no log. Add one by UseLog, or by the package of a carrier.");
        }

        IReplicatedLog log = await builder.Log(_provider, cancellation).ConfigureAwait(false);
        try
        {
            return await Replica.OpenAsync(Path.GetFullPath(builder.Folder, _root), log, options, cancellation).ConfigureAwait(false);
        }
        catch
        {
            await log.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    private void Gauge(string name, string unit, string about, Func<ReplicaStatus, long> read) =>
        _meter.CreateObservableGauge(name, () => Measure(read), unit, about);

    private IEnumerable<Measurement<long>> Measure(Func<ReplicaStatus, long> read)
    {
        lock (_nodes)
        {
            return [.. _nodes.Select(node => new Measurement<long>(
                read(node.Value.Status), new KeyValuePair<string, object?>(VoronReplicaTelemetry.ReplicaTag, node.Key)))];
        }
    }
}
