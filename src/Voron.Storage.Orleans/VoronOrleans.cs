using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Orleans;
using Orleans.Configuration;
using Orleans.Configuration.Overrides;
using Orleans.Hosting;
using Orleans.Providers;
using Orleans.Runtime.Hosting;
using Orleans.Serialization.Serializers;
using Orleans.Storage;

namespace Voron.Storage.Orleans;

/// <summary>Grain storage and reminders of a silo in an environment, which is one of its services.</summary>
public static class VoronOrleans
{
    /// <summary>Adds the grain storage that grains use which name none.</summary>
    /// <param name="builder">The silo.</param>
    /// <param name="configure">Changes the settings.</param>
    public static ISiloBuilder AddVoronGrainStorageAsDefault(
        this ISiloBuilder builder, Action<VoronGrainStorageOptions>? configure = null) =>
        AddVoronGrainStorage(builder, ProviderConstants.DEFAULT_STORAGE_PROVIDER_NAME, configure);

    /// <summary>Adds a grain storage.</summary>
    /// <param name="builder">The silo.</param>
    /// <param name="name">The name by which grains ask for it: <c>[PersistentState("state", "name")]</c>.</param>
    /// <param name="configure">Changes the settings.</param>
    public static ISiloBuilder AddVoronGrainStorage(
        this ISiloBuilder builder, string name, Action<VoronGrainStorageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrEmpty(name);
        IServiceCollection services = builder.Services;
        OptionsBuilder<VoronGrainStorageOptions> options = services.AddOptions<VoronGrainStorageOptions>(name);
        if (configure is not null)
        {
            options.Configure(configure);
        }

        services.AddTransient<
            IPostConfigureOptions<VoronGrainStorageOptions>,
            DefaultStorageProviderSerializerOptionsConfigurator<VoronGrainStorageOptions>>();
        services.AddGrainStorage(name, static (provider, name) =>
        {
            VoronGrainStorageOptions options = provider.GetRequiredService<IOptionsMonitor<VoronGrainStorageOptions>>().Get(name);
            return new VoronGrainStorage(
                name,
                options,
                EnvironmentOf(provider, options.StorageKey),
                options.GrainStorageSerializer,
                provider.GetRequiredService<IActivatorProvider>(),
                provider.GetProviderClusterOptions(name));
        });
        return builder;
    }

    /// <summary>Keeps reminders in the environment.</summary>
    /// <param name="builder">The silo.</param>
    /// <param name="configure">Changes the settings.</param>
    public static ISiloBuilder UseVoronReminderService(this ISiloBuilder builder, Action<VoronReminderOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.AddReminders();
        OptionsBuilder<VoronReminderOptions> options = builder.Services.AddOptions<VoronReminderOptions>();
        if (configure is not null)
        {
            options.Configure(configure);
        }

        builder.Services.AddSingleton<IReminderTable>(static provider =>
        {
            VoronReminderOptions options = provider.GetRequiredService<IOptions<VoronReminderOptions>>().Value;
            return new VoronReminderTable(
                options, EnvironmentOf(provider, options.StorageKey), provider.GetRequiredService<IOptions<ClusterOptions>>());
        });
        return builder;
    }

    private static StorageEnvironment EnvironmentOf(IServiceProvider provider, string? key) => key is null
        ? provider.GetRequiredService<StorageEnvironment>()
        : provider.GetRequiredKeyedService<StorageEnvironment>(key);
}
