using Akka.Actor;

namespace Voron.Storage.Akka;

/// <summary>Makes the extension <see cref="VoronPersistence"/>.</summary>
public sealed class VoronPersistenceProvider : ExtensionIdProvider<VoronPersistence>
{
    /// <inheritdoc/>
    public override VoronPersistence CreateExtension(ExtendedActorSystem system) => new(system);
}
