using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Voron.Storage.Extensions.Caching;
using Voron.Storage.Extensions.Hosting;

namespace Voron.Storage.Extensions;

/// <summary>A distributed cache over a tree.</summary>
public static class VoronCacheServices
{
    /// <summary>
    /// Adds <see cref="IDistributedCache"/> and <see cref="IBufferDistributedCache"/> over a tree of an environment, with absolute and
    /// sliding expiration. Entries live on when the process is started again.
    /// </summary>
    public static IServiceCollection AddVoronDistributedCache(
        this IServiceCollection services, Action<VoronCacheOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        OptionsBuilder<VoronCacheOptions> options = services.AddOptions<VoronCacheOptions>()
            .Validate(static cache => cache.TreeName is { Length: > 0 }, "The cache's TreeName is empty.")
            .Validate(static cache => Enum.IsDefined(cache.CommitMode), "The cache's CommitMode is Durable, Buffered or Lazy.")
            .Validate(
                static cache => cache.SweepInterval >= TimeSpan.FromMilliseconds(1) && cache.SweepInterval <= TimeSpan.FromDays(1),
                "The cache's SweepInterval is between a millisecond and a day.")
            .ValidateOnStart();
        if (configure is not null)
        {
            options.Configure(configure);
        }

        services.TryAddSingleton<EnvironmentSet>();
        services.TryAddSingleton(static provider =>
        {
            VoronCacheOptions cache = provider.GetRequiredService<IOptions<VoronCacheOptions>>().Value;
            return new VoronCache(
                provider.GetRequiredService<EnvironmentSet>()[cache.StorageKey ?? Options.DefaultName].Open(),
                cache,
                provider.GetService<TimeProvider>() ?? TimeProvider.System);
        });
        services.TryAddSingleton<IBufferDistributedCache>(static provider => provider.GetRequiredService<VoronCache>());
        services.TryAddSingleton<IDistributedCache>(static provider => provider.GetRequiredService<VoronCache>());
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, CacheSweeper>());
        return services;
    }
}
