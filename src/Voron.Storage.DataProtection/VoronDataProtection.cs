using Microsoft.AspNetCore.DataProtection;
using Microsoft.AspNetCore.DataProtection.KeyManagement;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Voron.Storage.DataProtection;

/// <summary>Keeps the key ring of Data Protection in a tree.</summary>
public static class VoronDataProtection
{
    /// <summary>Keeps keys in a tree of the environment that is registered as a service.</summary>
    /// <param name="builder">What <c>AddDataProtection</c> returns.</param>
    /// <param name="treeName">The tree of the keys; it is created with the first key.</param>
    public static IDataProtectionBuilder PersistKeysToVoron(
        this IDataProtectionBuilder builder, string treeName = VoronXmlRepository.DefaultTreeName) =>
        PersistKeysToVoron(builder, static services => services.GetRequiredService<StorageEnvironment>(), treeName);

    /// <summary>Keeps keys in a tree of an environment, which the caller closes after the last use of Data Protection.</summary>
    /// <param name="builder">What <c>AddDataProtection</c> returns.</param>
    /// <param name="environment">An environment that is open for writing.</param>
    /// <param name="treeName">The tree of the keys; it is created with the first key.</param>
    public static IDataProtectionBuilder PersistKeysToVoron(
        this IDataProtectionBuilder builder, StorageEnvironment environment, string treeName = VoronXmlRepository.DefaultTreeName)
    {
        ArgumentNullException.ThrowIfNull(environment);
        return PersistKeysToVoron(builder, _ => environment, treeName);
    }

    /// <summary>Keeps keys in a tree of one of several environments, for example of one that is registered with a key.</summary>
    /// <param name="builder">What <c>AddDataProtection</c> returns.</param>
    /// <param name="environment">Finds the environment among the services, when the first key is needed.</param>
    /// <param name="treeName">The tree of the keys; it is created with the first key.</param>
    public static IDataProtectionBuilder PersistKeysToVoron(
        this IDataProtectionBuilder builder,
        Func<IServiceProvider, StorageEnvironment> environment,
        string treeName = VoronXmlRepository.DefaultTreeName)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(environment);
        ArgumentException.ThrowIfNullOrEmpty(treeName);
        builder.Services.AddSingleton<IConfigureOptions<KeyManagementOptions>>(services => new ConfigureOptions<KeyManagementOptions>(
            options => options.XmlRepository = new VoronXmlRepository(environment(services), treeName)));
        return builder;
    }
}
