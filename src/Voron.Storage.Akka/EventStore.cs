using Akka.Actor;
using Akka.Persistence;

namespace Voron.Storage.Akka;

/// <summary>Events in trees: what the journal writes and reads, and the rows of queries.</summary>
internal sealed class EventStore(ExtendedActorSystem system, StorageEnvironment environment, EventTrees names)
{
    internal ExtendedActorSystem System => system;

    internal StorageEnvironment Environment => environment;

    internal EventTrees Names => names;

    internal WriteSignal Signal { get; } = WriteSignal.Of(environment);

    /// <summary>Writes events in one transaction; when the call completes they are on the device.</summary>
    internal async Task AppendAsync(IReadOnlyList<StoredEvent> events, CancellationToken cancellationToken)
    {
        await environment.WriteAsync(
            static (transaction, write) => Append(transaction, write.names, write.events), (names, events), cancellationToken)
            .ConfigureAwait(false);
        Signal.Raise();
    }

    /// <summary>Deletes the events up to a sequence number, with their rows in the order and in tags.</summary>
    internal async Task DeleteAsync(string persistenceId, long last, CancellationToken cancellationToken)
    {
        // A negative number, written as the end of a key, would be behind all others.
        if (last >= 0)
        {
            await environment.WriteAsync(
                static (transaction, delete) => Delete(transaction, delete.names, delete.persistenceId, delete.last),
                (names, persistenceId, last),
                cancellationToken).ConfigureAwait(false);
        }
    }

    internal long HighestSequenceNr(string persistenceId)
    {
        using ReadTransaction transaction = environment.BeginRead();
        return transaction.TryOpenTree(names.Ids, out ReadTree ids)
            && ids.TryGet(EventTrees.PrefixOf(persistenceId), out ReadOnlySpan<byte> highest) ? EventTrees.NumberOf(highest) : 0;
    }

    internal void Replay(string persistenceId, long first, long last, long most, Action<IPersistentRepresentation> found)
    {
        using ReadTransaction transaction = environment.BeginRead();
        if (most <= 0 || last < Math.Max(0, first) || !transaction.TryOpenTree(names.Events, out ReadTree events))
        {
            return;
        }

        foreach (TreeEntry row in events.Range(
            EventTrees.KeyOf(persistenceId, Math.Max(0, first)), includeFrom: true, EventTrees.KeyOf(persistenceId, last), includeTo: true))
        {
            found(StoredEvent.Read(row.Key, row.Value).ToPersistent(system));
            if (--most == 0)
            {
                return;
            }
        }
    }

    /// <summary>The last number that was given to an event or to a persistence id.</summary>
    internal long Newest(ReadOnlySpan<byte> counter)
    {
        using ReadTransaction transaction = environment.BeginRead();
        return transaction.TryOpenTree(names.Counters, out ReadTree counters)
            && counters.TryGet(counter, out ReadOnlySpan<byte> newest) ? EventTrees.NumberOf(newest) : 0;
    }

    /// <summary>A persistence id that is used for the first time gets its place in the order of all.</summary>
    internal static void Register(WriteTransaction transaction, EventTrees names, string persistenceId, long sequenceNr)
    {
        byte[] key = EventTrees.PrefixOf(persistenceId);
        Tree ids = transaction.OpenTree(names.Ids);
        if (!ids.TryGet(key, out ReadOnlySpan<byte> stored))
        {
            long number = Next(transaction, names, EventTrees.IdCounter, 1);
            transaction.OpenTree(names.IdOrder).Put(EventTrees.KeyOf(number), key);
            ids.Put(key, EventTrees.KeyOf(sequenceNr));
        }
        else if (EventTrees.NumberOf(stored) < sequenceNr)
        {
            ids.Put(key, EventTrees.KeyOf(sequenceNr));
        }
    }

    private static void Append(WriteTransaction transaction, EventTrees names, IReadOnlyList<StoredEvent> events)
    {
        Tree all = transaction.OpenTree(names.Events);
        Tree order = transaction.OpenTree(names.Order);
        Tree tags = transaction.OpenTree(names.Tags);
        long number = Next(transaction, names, EventTrees.EventCounter, events.Count);
        foreach (StoredEvent written in events)
        {
            written.Number = number;
            if (!all.TryAdd(written.Key, written.Value))
            {
                throw new InvalidOperationException(
                    $"The persistence id '{written.PersistenceId}' already has an event with the sequence number {written.SequenceNr}: "
                    + "two actors write with the same id. None of these events was written.");
            }

            order.Put(EventTrees.KeyOf(number), written.Key);
            foreach (string tag in written.Tags)
            {
                tags.Put(EventTrees.KeyOf(tag, number), written.Key);
            }

            Register(transaction, names, written.PersistenceId, written.SequenceNr);
            number++;
        }
    }

    private static void Delete(WriteTransaction transaction, EventTrees names, string persistenceId, long last)
    {
        Tree all = transaction.OpenTree(names.Events);
        Tree order = transaction.OpenTree(names.Order);
        Tree tags = transaction.OpenTree(names.Tags);
        List<StoredEvent> deleted = [];
        foreach (TreeEntry row in all.Range(
            EventTrees.KeyOf(persistenceId, 0), includeFrom: true, EventTrees.KeyOf(persistenceId, last), includeTo: true))
        {
            deleted.Add(StoredEvent.Read(row.Key, row.Value));
        }

        foreach (StoredEvent one in deleted)
        {
            all.Delete(one.Key);
            order.Delete(EventTrees.KeyOf(one.Number));
            foreach (string tag in one.Tags)
            {
                tags.Delete(EventTrees.KeyOf(tag, one.Number));
            }
        }
    }

    /// <summary>Takes the next numbers, and returns the first of them.</summary>
    private static long Next(WriteTransaction transaction, EventTrees names, ReadOnlySpan<byte> counter, int count)
    {
        Tree counters = transaction.OpenTree(names.Counters);
        long newest = counters.TryGet(counter, out ReadOnlySpan<byte> stored) ? EventTrees.NumberOf(stored) : 0;
        counters.Put(counter, EventTrees.KeyOf(newest + count));
        return newest + 1;
    }
}
