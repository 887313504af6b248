using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence.Query;

namespace Voron.Storage.Akka;

/// <summary>Makes the read journal of an actor system.</summary>
/// <param name="system">The actor system.</param>
/// <param name="config">The section of the read journal.</param>
public sealed class VoronReadJournalProvider(ExtendedActorSystem system, Config config) : IReadJournalProvider
{
    /// <inheritdoc/>
    public IReadJournal GetReadJournal() => new VoronReadJournal(system, config);
}
