using System.Diagnostics.Metrics;
using FluentAssertions;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Storage.Replication.Tests;

/// <summary>A node as a service of a host.</summary>
public sealed class HostingTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly SimulatedLog _log = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task A_host_opens_and_closes_its_node_and_tells_of_it()
    {
        using IHost host = Build(withLog: true);
        await host.StartAsync();
        Replica node = host.Services.GetRequiredService<Replica>();
        host.Services.GetRequiredKeyedService<Replica>("orders").Should().BeSameAs(node);
        await Cluster.UntilAsync(() => node.Role == ReplicaRole.Leader);
        await Cluster.PutAsync(node, "k", "v");
        (await CheckAsync(host)).Status.Should().Be(HealthStatus.Healthy);
        Measure("voron.replica.leads").Should().Be(1);
        Measure("voron.replica.transaction").Should().Be(1);

        _log.IsDown = true;
        await Cluster.UntilAsync(() => node.Status.LogTrouble is not null);
        (await CheckAsync(host)).Status.Should().Be(HealthStatus.Degraded);
        _log.IsDown = false;
        await node.ReadBarrierAsync();

        _log.Add("junk"u8.ToArray());
        await Cluster.UntilAsync(() => node.Role == ReplicaRole.Stopped);
        (await CheckAsync(host)).Status.Should().Be(HealthStatus.Unhealthy);
        await host.StopAsync();
        node.Role.Should().Be(ReplicaRole.Stopped);
        StorageEnvironment.Open(Path.Combine(_folder.Path, "data")).Dispose();
    }

    [Fact]
    public async Task A_node_without_a_log_is_refused_by_name()
    {
        using IHost host = Build(withLog: false);
        Func<Task> start = () => host.StartAsync();
        (await start.Should().ThrowAsync<InvalidOperationException>()).WithMessage("*orders*log*");
    }

    [Fact]
    public void A_name_is_given_once()
    {
        ServiceCollection services = new();
        services.AddVoronReplica("orders", "a");
        Action again = () => services.AddVoronReplica("orders", "b");
        again.Should().Throw<InvalidOperationException>().WithMessage("*orders*");
    }

    [Theory]
    [InlineData("LeaderTimeout")]
    [InlineData("HeartbeatInterval")]
    [InlineData("CommitTimeout")]
    public async Task A_setting_without_sense_is_refused(string setting)
    {
        ReplicaOptions options = new();
        typeof(ReplicaOptions).GetProperty(setting)!.SetValue(options, TimeSpan.Zero);
        Func<Task> open = async () => await Replica.OpenAsync(_folder.Path, _log.Connect(), options);
        (await open.Should().ThrowAsync<ArgumentOutOfRangeException>()).WithMessage($"*{setting}*");
    }

    private static async Task<HealthReportEntry> CheckAsync(IHost host) =>
        (await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync()).Entries["voron-replica-orders"];

    private static long? Measure(string name)
    {
        long? found = null;
        using MeterListener listener = new()
        {
            InstrumentPublished = (instrument, self) =>
            {
                if (instrument.Meter.Name == VoronReplicaTelemetry.MeterName && instrument.Name == name)
                {
                    self.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, value, _, _) => found = value);
        listener.Start();
        listener.RecordObservableInstruments();
        return found;
    }

    private IHost Build(bool withLog)
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder(
            new HostApplicationBuilderSettings { ContentRootPath = _folder.Path });
        builder.Logging.ClearProviders();
        VoronReplicaBuilder replica = builder.Services.AddVoronReplica("orders", "data", static options =>
        {
            options.LeaderTimeout = TimeSpan.FromMilliseconds(200);
            options.HeartbeatInterval = TimeSpan.FromMilliseconds(40);
        });
        if (withLog)
        {
            replica.UseLog((_, _) => new ValueTask<IReplicatedLog>(_log.Connect()));
        }

        builder.Services.AddHealthChecks().AddVoronReplica("orders");
        return builder.Build();
    }
}
