using Microsoft.Extensions.Configuration;

namespace Voron.Storage.Extensions.Hosting;

/// <summary>An environment that was asked for. The one without a key has the empty name.</summary>
/// <param name="Name">Its key.</param>
/// <param name="Section">Where its settings stand in the configuration; null when they are set in code.</param>
internal sealed record EnvironmentRegistration(string Name, IConfigurationSection? Section)
{
    /// <summary>The name for people and for tags of metrics.</summary>
    internal string Label => LabelOf(Name);

    internal static string LabelOf(string name) => name.Length == 0 ? "default" : name;
}
