namespace Voron.Storage.Extensions;

/// <summary>Settings of the distributed cache.</summary>
public sealed class VoronCacheOptions
{
    /// <summary>The key of the environment that holds the cache; null (the default) for the one without a key.</summary>
    public string? StorageKey { get; set; }

    /// <summary>
    /// The name of the cache's tree (default <c>cache</c>). A second one, with <c>.expiry</c> behind the name, says when entries expire.
    /// </summary>
    public string TreeName { get; set; } = "cache";

    /// <summary>
    /// What a change has achieved when its call returns (default <see cref="Voron.Storage.CommitMode.Lazy"/>: a cache can lose its last
    /// entries).
    /// </summary>
    public CommitMode CommitMode { get; set; } = CommitMode.Lazy;

    /// <summary>How often what has expired is deleted (default a minute). Until then it is invisible and only takes space.</summary>
    public TimeSpan SweepInterval { get; set; } = TimeSpan.FromMinutes(1);
}
