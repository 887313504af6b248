using Akka;
using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence;
using Akka.Persistence.Journal;
using Akka.Persistence.Query;
using Akka.Streams.Dsl;

namespace Voron.Storage.Akka;

/// <summary>
/// The queries: events of a persistence id, of a tag and of all, and persistence ids; live, or those of now. Offsets are numbers in the
/// order of writing, and exclusive; <see cref="FromEnd"/> is possible too. A live stream is told of new events as soon as they are on
/// the device.
/// </summary>
public sealed class VoronReadJournal :
    IPersistenceIdsQuery,
    ICurrentPersistenceIdsQuery,
    IEventsByPersistenceIdQuery,
    ICurrentEventsByPersistenceIdQuery,
    IEventsByTagQuery,
    ICurrentEventsByTagQuery,
    IAllEventsQuery,
    ICurrentAllEventsQuery
{
    /// <summary>The section of the configuration, for <c>system.ReadJournalFor</c>.</summary>
    public const string Identifier = "akka.persistence.query.journal.voron";

    private const int BatchRows = 100;

    private readonly EventStore _store;
    private readonly EventAdapters _adapters;

    /// <summary>Makes a read journal; <see cref="VoronReadJournalProvider"/> does so for an actor system.</summary>
    /// <param name="system">The actor system.</param>
    /// <param name="config">The section of the read journal.</param>
    public VoronReadJournal(ExtendedActorSystem system, Config config)
    {
        ArgumentNullException.ThrowIfNull(system);
        ArgumentNullException.ThrowIfNull(config);
        _store = VoronPersistence.Get(system).Store;
        _adapters = Persistence.Instance.Apply(system).AdaptersFor(config.GetString("write-plugin", string.Empty));
    }

    /// <inheritdoc/>
    public Source<string, NotUsed> PersistenceIds() => Ids(isLive: true).Named("PersistenceIds");

    /// <inheritdoc/>
    public Source<string, NotUsed> CurrentPersistenceIds() => Ids(isLive: false).Named("CurrentPersistenceIds");

    /// <inheritdoc/>
    public Source<EventEnvelope, NotUsed> EventsByPersistenceId(string persistenceId, long fromSequenceNr, long toSequenceNr) =>
        ById(persistenceId, fromSequenceNr, toSequenceNr, isLive: true).Named("EventsByPersistenceId");

    /// <inheritdoc/>
    public Source<EventEnvelope, NotUsed> CurrentEventsByPersistenceId(string persistenceId, long fromSequenceNr, long toSequenceNr) =>
        ById(persistenceId, fromSequenceNr, toSequenceNr, isLive: false).Named("CurrentEventsByPersistenceId");

    /// <inheritdoc/>
    public Source<EventEnvelope, NotUsed> EventsByTag(string tag, Offset offset) => ByTag(tag, offset, isLive: true).Named("EventsByTag");

    /// <inheritdoc/>
    public Source<EventEnvelope, NotUsed> CurrentEventsByTag(string tag, Offset offset) =>
        ByTag(tag, offset, isLive: false).Named("CurrentEventsByTag");

    /// <inheritdoc/>
    public Source<EventEnvelope, NotUsed> AllEvents(Offset offset) => All(offset, isLive: true).Named("AllEvents");

    /// <inheritdoc/>
    public Source<EventEnvelope, NotUsed> CurrentAllEvents(Offset offset) => All(offset, isLive: false).Named("CurrentAllEvents");

    private Source<string, NotUsed> Ids(bool isLive) => SourceOf<string>(
        static () => 1,
        long.MaxValue,
        isLive ? null : () => _store.Newest(EventTrees.IdCounter),
        (first, last, into) =>
        {
            using ReadTransaction transaction = _store.Environment.BeginRead();
            if (transaction.TryOpenTree(_store.Names.IdOrder, out ReadTree order))
            {
                int rows = 0;
                foreach (TreeEntry row in order.Range(EventTrees.KeyOf(first), true, EventTrees.KeyOf(last), true))
                {
                    into.Enqueue(EventTrees.TextOf(row.Value));
                    first = EventTrees.NumberOf(row.Key) + 1;
                    if (++rows == BatchRows)
                    {
                        break;
                    }
                }
            }

            return first;
        });

    private Source<EventEnvelope, NotUsed> ById(string persistenceId, long from, long to, bool isLive)
    {
        ArgumentNullException.ThrowIfNull(persistenceId);
        return SourceOf<EventEnvelope>(
            () => Math.Max(0, from),
            to,
            isLive ? null : () => _store.HighestSequenceNr(persistenceId),
            (first, last, into) =>
            {
                using ReadTransaction transaction = _store.Environment.BeginRead();
                if (transaction.TryOpenTree(_store.Names.Events, out ReadTree events))
                {
                    int rows = 0;
                    foreach (TreeEntry row in events.Range(
                        EventTrees.KeyOf(persistenceId, first), true, EventTrees.KeyOf(persistenceId, last), true))
                    {
                        StoredEvent stored = StoredEvent.Read(row.Key, row.Value);
                        first = stored.SequenceNr + 1;
                        Add(into, stored, stored.SequenceNr);
                        if (++rows == BatchRows)
                        {
                            break;
                        }
                    }
                }

                return first;
            });
    }

    private Source<EventEnvelope, NotUsed> ByTag(string tag, Offset offset, bool isLive)
    {
        ArgumentException.ThrowIfNullOrEmpty(tag);
        return ByNumber(_store.Names.Tags, number => EventTrees.KeyOf(tag, number), offset, isLive);
    }

    private Source<EventEnvelope, NotUsed> All(Offset offset, bool isLive) =>
        ByNumber(_store.Names.Order, EventTrees.KeyOf, offset, isLive);

    private Source<EventEnvelope, NotUsed> ByNumber(string treeName, Func<long, byte[]> keyOf, Offset offset, bool isLive) =>
        SourceOf<EventEnvelope>(
            FirstOf(treeName, keyOf, offset),
            long.MaxValue,
            isLive ? null : () => _store.Newest(EventTrees.EventCounter),
            (first, last, into) =>
            {
                using ReadTransaction transaction = _store.Environment.BeginRead();
                if (transaction.TryOpenTree(treeName, out ReadTree tree)
                    && transaction.TryOpenTree(_store.Names.Events, out ReadTree events))
                {
                    int rows = 0;
                    foreach (TreeEntry row in tree.Range(keyOf(first), true, keyOf(last), true))
                    {
                        first = EventTrees.NumberOf(row.Key) + 1;
                        if (events.TryGet(row.Value, out ReadOnlySpan<byte> value))
                        {
                            Add(into, StoredEvent.Read(row.Value, value), first - 1);
                        }

                        if (++rows == BatchRows)
                        {
                            break;
                        }
                    }
                }

                return first;
            });

    /// <summary>An event adapter may make several events of one, or none.</summary>
    private void Add(Queue<EventEnvelope> into, StoredEvent stored, long offset)
    {
        Persistent read = stored.ToPersistent(_store.System);
        foreach (object adapted in _adapters.Get(read.Payload.GetType()).FromJournal(read.Payload, read.Manifest).Events)
        {
            into.Enqueue(new EventEnvelope(
                new Sequence(offset), read.PersistenceId, read.SequenceNr, adapted, read.Timestamp, stored.Tags));
        }
    }

    private Source<T, NotUsed> SourceOf<T>(Func<long> first, long last, Func<long>? newest, ReadBatch<T> read) =>
        Source.FromGraph(new JournalSource<T>(_store.Signal, first, last, newest, read));

    private Func<long> FirstOf(string treeName, Func<long, byte[]> keyOf, Offset? offset) => offset switch
    {
        null or NoOffset => static () => 1,
        Sequence sequence => () => Math.Max(0, sequence.Value) + 1,
        FromEnd end => () => FirstOfLast(treeName, keyOf, end.Count),
        _ => throw new ArgumentException(
            $"The journal has no offsets of the kind {offset.GetType().Name}: use Sequence, FromEnd or NoOffset."),
    };

    private long FirstOfLast(string treeName, Func<long, byte[]> keyOf, int count)
    {
        long first = 1;
        using ReadTransaction transaction = _store.Environment.BeginRead();
        if (transaction.TryOpenTree(treeName, out ReadTree tree))
        {
            foreach (TreeEntry row in tree.Range(keyOf(1), true, keyOf(long.MaxValue), true).Reverse())
            {
                if (--count == 0)
                {
                    first = EventTrees.NumberOf(row.Key);
                    break;
                }
            }
        }

        return first;
    }
}
