using System.Reflection;

namespace Voron.Bench.Peers;

/// <summary>A store that can take part.</summary>
/// <param name="Name">Its name in rows.</param>
/// <param name="Durability">How a commit reaches the device, and what else is set.</param>
/// <param name="Origin">Where it comes from; null for ours.</param>
/// <param name="SharesCommits">Whether commits of several threads share writes and syncs.</param>
/// <param name="Open">Opens or creates a database in a folder.</param>
internal sealed record StoreKind(string Name, string Durability, StoreOrigin? Origin, bool SharesCommits, Func<string, IStore> Open)
{
    /// <summary>What a commit does when nothing is set, in words, and how such a database is opened; null when it is the same.</summary>
    internal (string Durability, Func<string, IStore> Open)? Default { get; init; }

    /// <summary>False for a hash table, which has no order to walk or to position in.</summary>
    internal bool IsOrdered { get; init; } = true;

    internal string DefaultDurability => Default?.Durability ?? Durability;

    /// <summary>Null when it can run; else the one command that helps.</summary>
    internal string? InstallLine => Origin?.InstallLine.Value;

    /// <summary>The versions of the store and of what it comes in.</summary>
    internal string Version => Origin?.Version.Value
        ?? $"{OurStore.Name} "
            + typeof(Storage.StorageEnvironment).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion;

    internal bool IsOurs => Origin is null;

    /// <summary>Opens or creates a database with the settings of a user who sets nothing.</summary>
    internal IStore OpenAsItComes(string folder) => (Default?.Open ?? Open)(folder);
}
