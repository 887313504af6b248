using FluentAssertions;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Xunit;

namespace Voron.Storage.Extensions.Tests.Hosting;

public sealed class LifecycleTests
{
    [Fact]
    public async Task A_host_opens_at_start_and_closes_at_stop()
    {
        using TestHost host = new(("Storage:Path", "data"), ("Storage:PageSize", "16384"));
        host.Services.AddVoronStorage(host.Builder.Configuration.GetSection("Storage"));
        await host.StartAsync();
        host.Storage.GetReport().PageBytes.Should().Be(16384);
        Directory.Exists(host.At("data")).Should().BeTrue("a relative path lies below the content root");
        Put(host.Storage, "a");

        await host.Running.StopAsync();

        using (StorageEnvironment again = StorageEnvironment.Open(host.At("data")))
        {
            using ReadTransaction read = again.BeginRead();
            read.OpenTree("t").Contains("a"u8).Should().BeTrue("it was closed by the host");
        }

        host.Log.All.Select(static line => (line.Level, line.Id)).Should()
            .Contain((LogLevel.Information, 10)).And.Contain((LogLevel.Information, 1));
        host.Log.All.First(static line => line.Id == 10).Text.Should().StartWith("Storage 'default': Opened '");
    }

    [Fact]
    public async Task Hosted_services_find_it_open_and_may_use_it_until_they_have_stopped()
    {
        using TestHost host = new();
        host.Services.AddHostedService<Busy>();
        host.Services.AddVoronStorage(options => options.Path = "data");
        await host.StartAsync();
        await host.Running.StopAsync();

        using StorageEnvironment again = StorageEnvironment.Open(host.At("data"));
        using ReadTransaction read = again.BeginRead();
        read.OpenTree("t").Count.Should().Be(2, "once at the start and once at the stop");
    }

    [Fact]
    public async Task Keyed_environments_are_opened_in_order_and_closed_in_the_opposite_one()
    {
        using TestHost host = new(("Logs:Path", "logs"));
        host.Services.AddKeyedVoronStorage("orders", options => options.Path = "orders");
        host.Services.AddKeyedVoronStorage("logs", host.Builder.Configuration.GetSection("Logs"));
        await host.StartAsync();
        StorageEnvironment orders = host.Provider.GetRequiredKeyedService<StorageEnvironment>("orders");
        StorageEnvironment logs = host.Provider.GetRequiredKeyedService<StorageEnvironment>("logs");
        orders.Should().NotBeSameAs(logs);
        Put(orders, "a");
        Put(logs, "b");
        await host.Running.StopAsync();

        string[] told = [.. host.Log.All.Where(static line => line.Id is 1 or 10).Select(static line => line.Text[..24])];
        told.Should().HaveCount(4);
        told[0].Should().Contain("orders");
        told[1].Should().Contain("logs");
        told[2].Should().Contain("logs");
        told[3].Should().Contain("orders");
        FluentActions.Invoking(() => orders.BeginRead()).Should().Throw<ObjectDisposedException>();
    }

    [Fact]
    public void A_provider_without_a_host_opens_when_asked_and_closes_when_disposed()
    {
        using TestHost folder = new();
        ServiceCollection services = new();
        services.AddVoronStorage(options => options.Path = folder.At("data"));
        using (ServiceProvider provider = services.BuildServiceProvider())
        {
            Put(provider.GetRequiredService<StorageEnvironment>(), "a");
        }

        StorageEnvironment.Open(folder.At("data")).Dispose();
    }

    [Fact]
    public async Task A_forgotten_reader_keeps_it_open_and_the_stop_says_so()
    {
        using TestHost host = new();
        host.Services.AddVoronStorage(options =>
        {
            options.Path = "data";
            options.DisposeTimeout = TimeSpan.Zero;
        });
        await host.StartAsync();
        ReadTransaction forgotten = host.Storage.BeginRead();
        AggregateException error = (await host.Running.Invoking(running => running.StopAsync())
            .Should().ThrowAsync<AggregateException>()).Which;
        error.Flatten().InnerExceptions.Should().ContainItemsAssignableTo<StorageBusyException>();
        host.Log.All.Should().Contain(line => line.Level == LogLevel.Error && line.Id == 3);
        forgotten.Dispose();
    }

    [Fact]
    public async Task In_memory_needs_no_path()
    {
        using TestHost host = new();
        host.Services.AddVoronStorage(options => options.InMemory = true);
        await host.StartAsync();
        Put(host.Storage, "a");
        Directory.EnumerateFileSystemEntries(host.Folder).Should().BeEmpty();
        await host.Running.StopAsync();
    }

    internal static void Put(StorageEnvironment storage, string key)
    {
        using WriteTransaction write = storage.BeginWrite();
        write.OpenTree("t").Put(System.Text.Encoding.UTF8.GetBytes(key), "x"u8);
        write.Commit();
    }

    private sealed class Busy(StorageEnvironment storage) : IHostedService
    {
        public Task StartAsync(CancellationToken cancellationToken)
        {
            Put(storage, "start");
            return Task.CompletedTask;
        }

        public Task StopAsync(CancellationToken cancellationToken)
        {
            Put(storage, "stop");
            return Task.CompletedTask;
        }
    }
}
