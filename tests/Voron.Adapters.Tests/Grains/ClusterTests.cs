using FluentAssertions;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Orleans.TestingHost;
using Voron.Storage;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Adapters.Tests.Grains;

/// <summary>Grains of a silo whose states and reminders are in a database.</summary>
public sealed class ClusterTests
{
    [Fact]
    public async Task States_and_reminders_are_there_after_a_restart_of_everything()
    {
        using TemporaryFolder folder = new();
        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path))
        {
            await using InProcessTestCluster first = await OneSilo.StartAsync(environment);
            ICounter counter = first.Client.GetGrain<ICounter>("a/b");
            (await counter.AddAsync(40)).Should().Be(40);
            await counter.RemindAsync("tea");
            await counter.RemindAsync("bread");
            await counter.ForgetAsync("bread");
        }

        using StorageEnvironment again = StorageEnvironment.Open(folder.Path);
        again.Check().Findings.Should().BeEmpty();
        await using InProcessTestCluster second = await OneSilo.StartAsync(again);
        ICounter found = second.Client.GetGrain<ICounter>("a/b");
        (await found.AddAsync(2)).Should().Be(42);
        (await found.RemindersAsync()).Should().Equal("tea");
        (await second.Client.GetGrain<ICounter>("a").RemindersAsync()).Should().BeEmpty();
    }

    [Fact]
    public async Task The_configuration_of_a_silo_may_name_all_of_it()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        InProcessTestClusterBuilder builder = new(1);
        builder.ConfigureSiloHost((_, host) =>
        {
            host.Services.AddKeyedSingleton("grains", environment);
            host.Configuration.AddInMemoryCollection(new Dictionary<string, string?>
            {
                ["Orleans:GrainStorage:Default:ProviderType"] = "Voron",
                ["Orleans:GrainStorage:Default:ServiceKey"] = "grains",
                ["Orleans:GrainStorage:Default:TreeName"] = "states",
                ["Orleans:GrainStorage:Default:DeleteStateOnClear"] = "true",
                ["Orleans:Reminders:ProviderType"] = "Voron",
                ["Orleans:Reminders:ServiceKey"] = "grains",
            });
        });
        await using (InProcessTestCluster cluster = builder.Build())
        {
            await cluster.DeployAsync();
            ICounter counter = cluster.Client.GetGrain<ICounter>("a");
            (await counter.AddAsync(1)).Should().Be(1);
            await counter.RemindAsync("tea");
        }

        using ReadTransaction read = environment.BeginRead();
        read.OpenTree("states").Count.Should().Be(1);
        read.OpenTree("reminders").Count.Should().Be(1);
    }
}
