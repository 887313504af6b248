using Microsoft.Extensions.DependencyInjection;
using Orleans;
using Orleans.Hosting;
using Orleans.Storage;
using Orleans.TestingHost;
using Voron.Storage;
using Voron.Storage.Orleans;
using Xunit;

namespace Voron.Adapters.Tests.Grains;

/// <summary>A cluster of one silo in this process, with storages and reminders in an environment that outlives it.</summary>
public sealed class OneSilo : IAsyncLifetime
{
    internal const string Keeping = "keeping";
    internal const string Deleting = "deleting";

    /// <summary>Short pages have the lowest limits.</summary>
    internal StorageEnvironment Environment { get; } = StorageEnvironment.OpenInMemory(new StorageOptions { PageSize = 4096 });

    internal InProcessTestCluster Cluster { get; private set; } = null!;

    internal IServiceProvider Services => Cluster.Silos[0].ServiceProvider;

    internal IReminderTable Reminders => Services.GetRequiredService<IReminderTable>();

    internal IGrainStorage Storage(string name) => Services.GetRequiredKeyedService<IGrainStorage>(name);

    public async ValueTask InitializeAsync() => Cluster = await StartAsync(Environment);

    public async ValueTask DisposeAsync()
    {
        await Cluster.DisposeAsync();
        Environment.Dispose();
    }

    internal static async Task<InProcessTestCluster> StartAsync(StorageEnvironment environment)
    {
        InProcessTestClusterBuilder builder = new(1);
        builder.Options.ServiceId = "tests";
        builder.ConfigureSilo((_, silo) =>
        {
            silo.Services.AddSingleton(environment);
            silo.Services.AddKeyedSingleton("other", environment);
            silo.AddVoronGrainStorageAsDefault();
            silo.AddVoronGrainStorage(Keeping);
            silo.AddVoronGrainStorage(Deleting, static options =>
            {
                options.DeleteStateOnClear = true;
                options.StorageKey = "other";
                options.TreeName = "short-lived";
            });
            silo.UseVoronReminderService();
        });
        InProcessTestCluster cluster = builder.Build();
        await cluster.DeployAsync();
        return cluster;
    }
}
