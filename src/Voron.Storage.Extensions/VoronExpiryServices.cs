using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Voron.Storage.Extensions.Expiry;
using Voron.Storage.Extensions.Hosting;
using Voron.Storage.Typed;

namespace Voron.Storage.Extensions;

/// <summary>Expiry of rows as a service.</summary>
public static class VoronExpiryServices
{
    /// <summary>
    /// Adds a hosted service that deletes the expired rows of a table, when the host starts and then at an interval, in transactions of
    /// bounded size. A sweep that fails is logged, and tried again at the next turn. A table without an index of expiry is left alone.
    /// </summary>
    /// <param name="services">The services, with the environment that has the table.</param>
    /// <param name="table">The table, with an index of expiry among its indexes.</param>
    /// <param name="configure">Changes the settings.</param>
    /// <exception cref="InvalidOperationException">The table was added before.</exception>
    public static IServiceCollection AddVoronExpirySweep<TKey, TRow>(
        this IServiceCollection services, TableDefinition<TKey, TRow> table, Action<VoronExpiryOptions>? configure = null) =>
        Add(services, Of(Options.DefaultName, table), configure);

    /// <summary>As the other, for a table of bytes.</summary>
    public static IServiceCollection AddVoronExpirySweep(
        this IServiceCollection services, RawTableDefinition table, Action<VoronExpiryOptions>? configure = null) =>
        Add(services, Of(Options.DefaultName, table), configure);

    /// <summary>As the other, for a table in the environment with this key.</summary>
    public static IServiceCollection AddKeyedVoronExpirySweep<TKey, TRow>(
        this IServiceCollection services, string key, TableDefinition<TKey, TRow> table, Action<VoronExpiryOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(key);
        return Add(services, Of(key, table), configure);
    }

    /// <summary>As the other, for a table of bytes in the environment with this key.</summary>
    public static IServiceCollection AddKeyedVoronExpirySweep(
        this IServiceCollection services, string key, RawTableDefinition table, Action<VoronExpiryOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(key);
        return Add(services, Of(key, table), configure);
    }

    private static ExpiryRegistration Of<TKey, TRow>(string storage, TableDefinition<TKey, TRow> table)
    {
        ArgumentNullException.ThrowIfNull(table);
        return new ExpiryRegistration(
            storage,
            table.Name,
            table.HasExpiry ? (environment, now, most, stopping) => environment.SweepExpiredAsync(table, now, most, stopping) : null);
    }

    private static ExpiryRegistration Of(string storage, RawTableDefinition table)
    {
        ArgumentNullException.ThrowIfNull(table);
        return new ExpiryRegistration(
            storage,
            table.Name,
            table.HasExpiry ? (environment, now, most, stopping) => environment.SweepExpiredAsync(table, now, most, stopping) : null);
    }

    private static IServiceCollection Add(IServiceCollection services, ExpiryRegistration table, Action<VoronExpiryOptions>? configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        if (services.Any(one => one.ImplementationInstance is ExpiryRegistration other && other.Name == table.Name))
        {
            throw new InvalidOperationException(
                $"Expired rows of the table '{table.Table}' in the storage '{EnvironmentRegistration.LabelOf(table.Storage)}' are deleted "
                + "by a service that was added before. Add it once.");
        }

        OptionsBuilder<VoronExpiryOptions> options = services.AddOptions<VoronExpiryOptions>(table.Name)
            .Validate(
                static expiry => expiry.SweepInterval >= TimeSpan.FromMilliseconds(1) && expiry.SweepInterval <= TimeSpan.FromDays(1),
                $"The SweepInterval of the table '{table.Table}' is between a millisecond and a day.")
            .Validate(
                static expiry => expiry.RowsPerTransaction > 0, $"The RowsPerTransaction of the table '{table.Table}' is at least 1.")
            .ValidateOnStart();
        if (configure is not null)
        {
            options.Configure(configure);
        }

        services.AddSingleton(table);
        services.TryAddSingleton<EnvironmentSet>();
        return services.AddSingleton<IHostedService>(provider => ExpirySweeper.Of(provider, table));
    }
}
