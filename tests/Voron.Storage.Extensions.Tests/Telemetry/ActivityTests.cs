using System.Collections.Concurrent;
using System.Diagnostics;
using FluentAssertions;
using Microsoft.Extensions.DependencyInjection;
using Voron.Storage.Extensions.Tests.Hosting;
using Xunit;

namespace Voron.Storage.Extensions.Tests.Telemetry;

public sealed class ActivityTests
{
    [Fact]
    public async Task Opening_and_checkpoints_are_activities()
    {
        ConcurrentQueue<Activity> all = new();
        string key = Guid.NewGuid().ToString("N");
        using ActivityListener listener = new()
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
}
