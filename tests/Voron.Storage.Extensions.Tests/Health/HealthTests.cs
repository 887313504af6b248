using FluentAssertions;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Voron.Storage.Extensions.Tests.Hosting;
using Voron.Storage.IO;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Storage.Extensions.Tests.Health;

public sealed class HealthTests
{
    [Fact]
    public async Task An_open_environment_is_healthy_and_shows_figures()
    {
        using TestHost host = await StartedAsync(static options => options.Path = "data");
        HealthReportEntry entry = await CheckAsync(host);
        bool isDoubtful = new NativeDisk().FindDoubt(host.At("data/data.voron")) is not null;
        entry.Status.Should().Be(isDoubtful ? HealthStatus.Degraded : HealthStatus.Healthy, entry.Description);
        entry.Data["freeDiskBytes"].Should().BeOfType<long>().Which.Should().BePositive();
        entry.Data.Should().ContainKeys("commits", "checkpointLagBytes", "oldestReaderSeconds");
    }

    [Fact]
    public async Task A_database_in_memory_of_the_system_is_degraded()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Directory.Exists("/dev/shm"), "needs a tmpfs");
        string folder = $"/dev/shm/voron-test-{Environment.ProcessId}";
        try
        {
            using TestHost host = await StartedAsync(options => options.Path = folder);
            HealthReportEntry entry = await CheckAsync(host);
            entry.Status.Should().Be(HealthStatus.Degraded);
            entry.Description.Should().Contain("may not survive a power failure").And.Contain("tmpfs");
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task Little_room_is_degraded()
    {
        using TestHost host = await StartedAsync(static options =>
        {
            options.Path = "data";
            options.Health.MinFreeDiskBytes = long.MaxValue;
        });
        HealthReportEntry entry = await CheckAsync(host);
        entry.Status.Should().Be(HealthStatus.Degraded);
        entry.Description.Should().StartWith("Storage 'default': ").And.Contain("bytes are free for '").And.EndWith("Make room.");
    }

    [Fact]
    public async Task An_old_reader_and_late_checkpoints_are_degraded()
    {
        using TestHost host = await StartedAsync(static options =>
        {
            options.Path = "data";
            options.Health.MaxReaderAge = TimeSpan.Zero;
            options.Health.MaxCheckpointLagBytes = 0;
        });
        LifecycleTests.Put(host.Storage, "a");
        HealthReportEntry entry;
        using (host.Storage.BeginRead())
        {
            while (host.Storage.GetReport().OldestReaderAge == TimeSpan.Zero)
            {
                await Task.Delay(1);
            }

            entry = await CheckAsync(host);
        }

        entry.Status.Should().Be(HealthStatus.Degraded);
        entry.Description.Should().Contain("A read transaction has been open for ").And.Contain(" bytes behind, more than 0.");
    }

    [Fact]
    public async Task A_poisoned_environment_is_unhealthy_and_says_why()
    {
        using WatchedDisk disk = new();
        using TestHost host = await StartedAsync(options =>
        {
            options.Path = "data";
            options.Health.MinFreeDiskBytes = 0;
            options.OpenWith = (path, settings) => StorageEnvironment.Open(
                path, new StorageOptions { Engine = new() { Disk = disk }, OnEvent = settings.OnEvent, Observer = settings.Observer });
        });
        Directory.CreateDirectory(host.At("data"));
        disk.OnCommitWrite = static () => new IoError(IoErrorKind.Device, 5);
        FluentActions.Invoking(() => LifecycleTests.Put(host.Storage, "a")).Should().Throw<CommitOutcomeUnknownException>();
        HealthReportEntry entry = await CheckAsync(host);
        entry.Status.Should().Be(HealthStatus.Unhealthy);
        entry.Description.Should().StartWith("Storage 'default' commits nothing more until it is opened again: ");
        entry.Exception.Should().BeAssignableTo<StorageException>();
    }

    [Fact]
    public async Task A_closed_environment_and_one_that_could_not_be_opened_are_unhealthy()
    {
        using TestHost host = await StartedAsync(static options => options.Path = "data");
        await host.Running.StopAsync();
        HealthReportEntry closed = await CheckAsync(host);
        closed.Status.Should().Be(HealthStatus.Unhealthy);
        closed.Description.Should().Be("Storage 'default' is not open.");

        using TestHost second = Made(static options => options.Path = "data");
        using StorageEnvironment other = StorageEnvironment.Open(second.At("data"));
        await second.Invoking(one => one.StartAsync()).Should().ThrowAsync<StorageLockedException>();
        HealthReportEntry locked = await CheckAsync(second);
        locked.Status.Should().Be(HealthStatus.Unhealthy);
        locked.Description.Should().StartWith("Storage 'default' could not be opened: ");
    }

    [Fact]
    public async Task What_a_failure_is_called_is_the_callers_choice()
    {
        using TestHost host = new();
        host.Services.AddKeyedVoronStorage("a", static options => options.Path = "a");
        host.Services.AddHealthChecks().AddVoronStorage("a", HealthStatus.Degraded, ["ready"]);
        HealthReport report = await host.Provider.GetRequiredService<HealthCheckService>().CheckHealthAsync();
        report.Entries.Should().ContainKey("voron-storage-a").WhoseValue.Should()
            .Match<HealthReportEntry>(static entry => entry.Status == HealthStatus.Degraded && entry.Tags.Contains("ready"));
    }

    private static TestHost Made(Action<VoronStorageOptions> configure)
    {
        TestHost host = new();
        host.Services.AddVoronStorage(configure);
        host.Services.AddHealthChecks().AddVoronStorage();
        return host;
    }

    private static Task<TestHost> StartedAsync(Action<VoronStorageOptions> configure) => Made(configure).StartAsync();

    private static async Task<HealthReportEntry> CheckAsync(TestHost host)
    {
        HealthReport report = await host.Provider.GetRequiredService<HealthCheckService>().CheckHealthAsync();
        return report.Entries["voron-storage"];
    }
}
