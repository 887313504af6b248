using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;
using Voron.Storage.Extensions.Health;
using Voron.Storage.Extensions.Hosting;

namespace Voron.Storage.Extensions;

/// <summary>Health checks of environments.</summary>
public static class VoronStorageHealthChecks
{
    /// <summary>
    /// Adds a check of an environment: poisoned or not open is a failure; little room on the disk, checkpoints that fail or fall behind,
    /// and an old reader are degraded, by the limits of <see cref="VoronStorageOptions.Health"/>.
    /// </summary>
    /// <param name="builder">From <c>AddHealthChecks()</c>.</param>
    /// <param name="key">The key of a keyed environment; null for the other one.</param>
    /// <param name="failureStatus">What a failure is called; unhealthy when null.</param>
    /// <param name="tags">Tags to choose checks by.</param>
    public static IHealthChecksBuilder AddVoronStorage(
        this IHealthChecksBuilder builder, string? key = null, HealthStatus? failureStatus = null, IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Services.TryAddSingleton<EnvironmentSet>();
        string name = key ?? Options.DefaultName;
        return builder.Add(new HealthCheckRegistration(
            key is null ? "voron-storage" : $"voron-storage-{key}",
            provider => new StorageHealthCheck(provider.GetRequiredService<EnvironmentSet>()[name]),
            failureStatus,
            tags));
    }
}
