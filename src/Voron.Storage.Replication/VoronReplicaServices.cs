using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Voron.Storage.Replication.Hosting;

namespace Voron.Storage.Replication;

/// <summary>Replicas as services.</summary>
public static class VoronReplicaServices
{
    /// <summary>
    /// Adds a node as a keyed singleton <see cref="Replica"/>, and as a singleton if it is the first one. It is opened when the host
    /// starts, before other hosted services, and closed when they have stopped. A package of a carrier adds its log to what is returned.
    /// </summary>
    /// <param name="services">The services.</param>
    /// <param name="name">The key of the node.</param>
    /// <param name="folder">The folder of its database; relative to the content root.</param>
    /// <param name="configure">Sets what differs from the defaults.</param>
    /// <exception cref="InvalidOperationException">There is a node of that name.</exception>
    public static VoronReplicaBuilder AddVoronReplica(
        this IServiceCollection services, string name, string folder, Action<ReplicaOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentException.ThrowIfNullOrWhiteSpace(folder);
        if (services.Any(one => one.ImplementationInstance is VoronReplicaBuilder other && other.Name == name))
        {
            throw new InvalidOperationException($"The replica '{name}' was added before. Give another one a name of its own.");
        }

        VoronReplicaBuilder builder = new(services, name, folder, configure);
        services.AddSingleton(builder);
        services.TryAddSingleton<ReplicaSet>();
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, ReplicaLifecycle>());
        services.AddKeyedSingleton(name, static (provider, key) => provider.GetRequiredService<ReplicaSet>().Get((string)key!));
        services.TryAddSingleton(provider => provider.GetRequiredKeyedService<Replica>(name));
        return builder;
    }

    /// <summary>
    /// Adds a check of a node. A stopped node is a failure; a node that is more than <paramref name="mostLag"/> entries behind, that cannot
    /// reach the log, or that knows of no leader is degraded.
    /// </summary>
    /// <param name="builder">From <c>AddHealthChecks()</c>.</param>
    /// <param name="name">The key of the node.</param>
    /// <param name="mostLag">Entries that a healthy node may be behind.</param>
    /// <param name="failureStatus">What a failure is called; unhealthy when null.</param>
    /// <param name="tags">Tags to choose checks by.</param>
    public static IHealthChecksBuilder AddVoronReplica(
        this IHealthChecksBuilder builder,
        string name,
        long mostLag = 1000,
        HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentOutOfRangeException.ThrowIfNegative(mostLag);
        return builder.Add(new HealthCheckRegistration(
            $"voron-replica-{name}",
            provider => new ReplicaHealthCheck(() => provider.GetRequiredService<ReplicaSet>().Find(name), name, mostLag),
            failureStatus,
            tags));
    }
}
