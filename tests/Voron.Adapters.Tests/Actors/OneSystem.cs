using System.Collections.Immutable;
using Akka.Actor;
using Akka.Actor.Setup;
using Akka.Configuration;
using Akka.Persistence;
using Akka.Persistence.Query;
using Akka.Streams;
using Akka.Streams.Dsl;
using Voron.Storage;
using Voron.Storage.Akka;

namespace Voron.Adapters.Tests.Actors;

/// <summary>An actor system with journal, snapshot store and queries in an environment that outlives it.</summary>
internal sealed class OneSystem : IAsyncDisposable
{
    private const string Plugins = """
        akka.loglevel = OFF
        akka.stdout-loglevel = OFF
        akka.persistence.journal.plugin = "akka.persistence.journal.voron"
        akka.persistence.snapshot-store.plugin = "akka.persistence.snapshot-store.voron"
        akka.persistence.journal.voron.event-adapters.words = "Voron.Adapters.Tests.Actors.WordAdapter, Voron.Adapters.Tests"
        akka.persistence.journal.voron.event-adapter-bindings { "System.String" = words }
        """;

    internal static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    internal OneSystem(StorageEnvironment environment)
    {
        Config config = ConfigurationFactory.ParseString(Plugins).WithFallback(VoronPersistence.DefaultConfig());
        System = ActorSystem.Create(
            "tests", BootstrapSetup.Create().WithConfig(config).And(new VoronPersistenceSetup(environment)));
        Inbox = Inbox.Create(System);
        Materializer = System.Materializer();
        Queries = System.ReadJournalFor<VoronReadJournal>(VoronReadJournal.Identifier);
    }

    internal OneSystem(string path)
    {
        Config config = ConfigurationFactory.ParseString(Plugins + $"\nakka.persistence.voron.path = \"{path}\"")
            .WithFallback(VoronPersistence.DefaultConfig());
        System = ActorSystem.Create("tests", config);
        Inbox = Inbox.Create(System);
        Materializer = System.Materializer();
        Queries = System.ReadJournalFor<VoronReadJournal>(VoronReadJournal.Identifier);
    }

    internal ActorSystem System { get; }

    internal Inbox Inbox { get; }

    internal ActorMaterializer Materializer { get; }

    internal VoronReadJournal Queries { get; }

    internal IActorRef Journal => Persistence.Instance.Apply(System).JournalFor(null);

    internal IActorRef Snapshots => Persistence.Instance.Apply(System).SnapshotStoreFor(null);

    /// <summary>The next answer that is not of the other kinds.</summary>
    internal async Task<T> NextAsync<T>() => (T)await Inbox.ReceiveAsync(Patience);

    /// <summary>Writes texts as events from a sequence number on, each alone, and waits until they are confirmed.</summary>
    internal async Task WriteAsync(string id, long first, params object[] payloads)
    {
        IPersistentEnvelope[] writes = [.. payloads.Select((payload, i) => new AtomicWrite(new Persistent(payload, first + i, id)))];
        Journal.Tell(new WriteMessages(writes, Inbox.Receiver, 1));
        await NextAsync<WriteMessagesSuccessful>();
        foreach (object _ in payloads)
        {
            await NextAsync<WriteMessageSuccess>();
        }
    }

    internal async Task<(List<object> Payloads, long Highest)> ReplayAsync(
        string id, long from = 0, long to = long.MaxValue, long max = long.MaxValue)
    {
        Journal.Tell(new ReplayMessages(from, to, max, id, Inbox.Receiver));
        List<object> payloads = [];
        while (true)
        {
            switch (await NextAsync<object>())
            {
                case ReplayedMessage replayed:
                    payloads.Add(replayed.Persistent.Payload);
                    break;
                case RecoverySuccess success:
                    return (payloads, success.HighestSequenceNr);
                case object other:
                    throw new InvalidOperationException($"Unexpected: {other}");
            }
        }
    }

    internal async Task DeleteAsync(string id, long to)
    {
        Journal.Tell(new DeleteMessagesTo(id, to, Inbox.Receiver));
        await NextAsync<DeleteMessagesSuccess>();
    }

    internal Task<IImmutableList<T>> AllOf<T>(Source<T, Akka.NotUsed> source) => source.RunWith(Sink.Seq<T>(), Materializer);

    public async ValueTask DisposeAsync()
    {
        Materializer.Dispose();
        await System.Terminate();
    }
}
