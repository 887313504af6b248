using System.Collections.Concurrent;
using System.Diagnostics;
using FluentAssertions;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Voron.Storage.Extensions.Tests.Hosting;
using Xunit;

namespace Voron.Storage.Extensions.Tests.Telemetry;

public sealed class ActivityTests
{
    /// <summary>A trace exporter listens from the start of its hosted service on, which is after the open.</summary>
    [Fact]
    public async Task An_open_before_the_exporter_starts_is_an_activity_too()
    {
        ConcurrentQueue<Activity> all = new();
        string key = Guid.NewGuid().ToString("N");
        using TestHost host = new();
        host.Services.AddKeyedVoronStorage(key, static options => options.Path = "data");
        host.Services.AddHostedService(_ => new Exporter(() => Listen(key, all)));
        DateTime before = DateTime.UtcNow;
        await host.StartAsync();
        await host.Running.StopAsync();
        Activity open = all.Single(static one => one.OperationName == "voron.storage.open");
        open.StartTimeUtc.Should().BeOnOrAfter(before);
        open.Duration.Should().BePositive();
        open.GetTagItem("voron.storage.folder").Should().Be(host.At("data"));
        open.GetTagItem("voron.storage.recovery").Should().BeOfType<string>().Which.Should().StartWith("Opened '");
    }

    [Fact]
    public async Task Opening_and_checkpoints_are_activities()
    {
        ConcurrentQueue<Activity> all = new();
        string key = Guid.NewGuid().ToString("N");
        using ActivityListener listener = Listen(key, all);
        using TestHost host = new();
        host.Services.AddKeyedVoronStorage(key, static options => options.Path = "data");
        await host.StartAsync();
        StorageEnvironment storage = host.Provider.GetRequiredKeyedService<StorageEnvironment>(key);
        LifecycleTests.Put(storage, "a");
        storage.Checkpoint();
        await host.Running.StopAsync();

        Activity open = all.Single(static one => one.OperationName == "voron.storage.open");
        open.GetTagItem("voron.storage.folder").Should().Be(host.At("data"));
        open.GetTagItem("voron.storage.recovery").Should().BeOfType<string>().Which.Should().StartWith("Opened '");
        all.Where(static one => one.OperationName == "voron.storage.checkpoint").Should().NotBeEmpty()
            .And.OnlyContain(static one => one.Duration > TimeSpan.Zero && one.Status == ActivityStatusCode.Unset);
        all.Select(static one => one.GetTagItem("voron.storage.transaction")).Should().Contain(1L);
    }

    private static ActivityListener Listen(string key, ConcurrentQueue<Activity> all)
    {
        ActivityListener listener = new()
        {
            ShouldListenTo = static source => source.Name == VoronStorageTelemetry.ActivitySourceName,
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = activity =>
            {
                if ((string?)activity.GetTagItem(VoronStorageTelemetry.StorageTag) == key)
                {
                    all.Enqueue(activity);
                }
            },
        };
        ActivitySource.AddActivityListener(listener);
        return listener;
    }

    private sealed class Exporter(Func<ActivityListener> listen) : IHostedService, IDisposable
    {
        private ActivityListener? _listener;

        public Task StartAsync(CancellationToken cancellationToken)
        {
            _listener = listen();
            return Task.CompletedTask;
        }

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public void Dispose() => _listener?.Dispose();
    }
}
