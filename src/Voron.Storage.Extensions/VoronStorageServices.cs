using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Voron.Storage.Extensions.Hosting;

namespace Voron.Storage.Extensions;

/// <summary>Environments as services.</summary>
public static class VoronStorageServices
{
    /// <summary>
    /// Adds the environment as a singleton. It is opened when the host starts, before other hosted services, and closed when they have
    /// stopped; when it cannot be opened the host does not start, and the exception says why.
    /// </summary>
    public static IServiceCollection AddVoronStorage(this IServiceCollection services, Action<VoronStorageOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        return Add(services, Options.DefaultName, null, configure);
    }

    /// <summary>As the other, with settings from a section of the configuration, which must be there.</summary>
    public static IServiceCollection AddVoronStorage(
        this IServiceCollection services, IConfigurationSection section, Action<VoronStorageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(section);
        return Add(services, Options.DefaultName, section, configure);
    }

    /// <summary>
    /// Adds one of several environments: <c>[FromKeyedServices("key")] StorageEnvironment</c>. They are opened in the order in which they
    /// are added, and closed in the opposite one.
    /// </summary>
    public static IServiceCollection AddKeyedVoronStorage(
        this IServiceCollection services, string key, Action<VoronStorageOptions> configure)
    {
        ArgumentException.ThrowIfNullOrEmpty(key);
        ArgumentNullException.ThrowIfNull(configure);
        return Add(services, key, null, configure);
    }

    /// <summary>As the other, with settings from a section of the configuration, which must be there.</summary>
    public static IServiceCollection AddKeyedVoronStorage(
        this IServiceCollection services, string key, IConfigurationSection section, Action<VoronStorageOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(key);
        ArgumentNullException.ThrowIfNull(section);
        return Add(services, key, section, configure);
    }

    private static IServiceCollection Add(
        IServiceCollection services, string name, IConfigurationSection? section, Action<VoronStorageOptions>? configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        if (services.Any(one => one.ServiceType == typeof(EnvironmentRegistration)
            && one.ImplementationInstance is EnvironmentRegistration other && other.Name == name))
        {
            throw new InvalidOperationException(
                $"The storage '{EnvironmentRegistration.LabelOf(name)}' was added before. Add another one with a key of its own.");
        }

        OptionsBuilder<VoronStorageOptions> options = services.AddOptions<VoronStorageOptions>(name).ValidateOnStart();
        if (section is not null)
        {
            options.Configure(bound => section.Bind(bound, static binder => binder.ErrorOnUnknownConfiguration = true));
        }

        if (configure is not null)
        {
            options.Configure(configure);
        }

        services.AddSingleton(new EnvironmentRegistration(name, section));
        services.TryAddSingleton<EnvironmentSet>();
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IValidateOptions<VoronStorageOptions>, OptionsCheck>());
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, EnvironmentLifecycle>());
        if (name.Length == 0)
        {
            services.AddSingleton(static provider => provider.GetRequiredService<EnvironmentSet>()[Options.DefaultName].Open());
        }
        else
        {
            services.AddKeyedSingleton(name, static (provider, key) => provider.GetRequiredService<EnvironmentSet>()[(string)key!].Open());
        }

        return services;
    }
}
