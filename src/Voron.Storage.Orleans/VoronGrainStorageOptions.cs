using Orleans.Storage;

namespace Voron.Storage.Orleans;

/// <summary>Settings of a grain storage.</summary>
public sealed class VoronGrainStorageOptions : IStorageProviderSerializerOptions
{
    /// <summary>The key of the environment that holds the states; null (the default) for the one without a key.</summary>
    public string? StorageKey { get; set; }

    /// <summary>The tree of the states; null (the default) for <c>grains/</c> and the name of the grain storage.</summary>
    public string? TreeName { get; set; }

    /// <summary>
    /// A cleared state leaves nothing behind. By default it leaves its ETag, with which a write by an activation that has not heard of
    /// the clearing is refused.
    /// </summary>
    public bool DeleteStateOnClear { get; set; }

    /// <summary>What turns states into bytes; null (the default) for the serializer of the silo.</summary>
    public IGrainStorageSerializer GrainStorageSerializer { get; set; } = null!;
}
