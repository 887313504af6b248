using Microsoft.Extensions.Configuration;
using Orleans;
using Orleans.Hosting;
using Orleans.Providers;
using Voron.Storage.Orleans;

[assembly: RegisterProvider("Voron", "Reminders", "Silo", typeof(VoronReminderProvider))]

namespace Voron.Storage.Orleans;

/// <summary>The reminder table from the configuration, in the section <c>Orleans:Reminders</c>.</summary>
internal sealed class VoronReminderProvider : IProviderBuilder<ISiloBuilder>
{
    public void Configure(ISiloBuilder builder, string? name, IConfigurationSection configurationSection) =>
        builder.UseVoronReminderService(options =>
        {
            options.StorageKey = configurationSection["ServiceKey"];
            options.TreeName = configurationSection["TreeName"] ?? VoronReminderOptions.DefaultTreeName;
        });
}
