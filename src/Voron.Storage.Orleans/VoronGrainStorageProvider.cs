using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Orleans;
using Orleans.Hosting;
using Orleans.Providers;
using Orleans.Runtime;
using Orleans.Storage;
using Voron.Storage.Orleans;

[assembly: RegisterProvider("Voron", "GrainStorage", "Silo", typeof(VoronGrainStorageProvider))]

namespace Voron.Storage.Orleans;

/// <summary>A grain storage from the configuration, as a section below <c>Orleans:GrainStorage</c>.</summary>
internal sealed class VoronGrainStorageProvider : IProviderBuilder<ISiloBuilder>
{
    public void Configure(ISiloBuilder builder, string? name, IConfigurationSection configurationSection)
    {
        builder.AddVoronGrainStorage(name ?? ProviderConstants.DEFAULT_STORAGE_PROVIDER_NAME, options =>
        {
            options.StorageKey = configurationSection["ServiceKey"];
            options.TreeName = configurationSection["TreeName"];
            options.DeleteStateOnClear = configurationSection["DeleteStateOnClear"] is { } text
                && (bool.TryParse(text, out bool deletes) ? deletes : throw new OrleansConfigurationException(
                    $"{configurationSection.Path}:DeleteStateOnClear is true or false. It is '{text}'."));
        });
        if (configurationSection["SerializerKey"] is { Length: > 0 } key)
        {
            builder.Services.AddOptions<VoronGrainStorageOptions>(name).Configure<IServiceProvider>((options, services) =>
                options.GrainStorageSerializer = services.GetRequiredKeyedService<IGrainStorageSerializer>(key));
        }
    }
}
