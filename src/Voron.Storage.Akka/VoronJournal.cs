using System.Collections.Immutable;
using Akka.Actor;
using Akka.Persistence;
using Akka.Persistence.Journal;

namespace Voron.Storage.Akka;

/// <summary>The journal plugin: events are on the device when their write is confirmed.</summary>
public sealed class VoronJournal : AsyncWriteJournal
{
    private readonly EventStore _store = VoronPersistence.Get(Context.System).Store;

    /// <inheritdoc/>
    public override Task<long> ReadHighestSequenceNrAsync(
        string persistenceId, long fromSequenceNr, CancellationToken cancellationToken) =>
        Task.FromResult(_store.HighestSequenceNr(persistenceId));

    /// <inheritdoc/>
    public override Task ReplayMessagesAsync(
        IActorContext context,
        string persistenceId,
        long fromSequenceNr,
        long toSequenceNr,
        long max,
        Action<IPersistentRepresentation> recoveryCallback) =>
        Task.Run(() => _store.Replay(persistenceId, fromSequenceNr, toSequenceNr, max, recoveryCallback));

    /// <summary>
    /// Writes all in one transaction, except what no serializer can write: that is rejected, and does not prevent the others.
    /// </summary>
    /// <param name="messages">The writes, each of which is there as a whole or not at all.</param>
    /// <param name="cancellationToken">Ends the wait for the transaction.</param>
    protected override async Task<IImmutableList<Exception>> WriteMessagesAsync(
        IEnumerable<AtomicWrite> messages, CancellationToken cancellationToken)
    {
        List<StoredEvent> events = [];
        List<Exception> rejections = [];
        foreach (AtomicWrite write in messages)
        {
            try
            {
                events.AddRange([.. ((IEnumerable<IPersistentRepresentation>)write.Payload)
                    .Select(written => StoredEvent.Of(_store.System, written))]);
                rejections.Add(null!);
            }
            catch (Exception rejection)
            {
                rejections.Add(rejection);
            }
        }

        if (events.Count > 0)
        {
            await _store.AppendAsync(events, cancellationToken).ConfigureAwait(false);
        }

        // Null means that all went well.
        return rejections.Exists(static one => one is not null) ? rejections.ToImmutableList() : null!;
    }

    /// <inheritdoc/>
    protected override Task DeleteMessagesToAsync(string persistenceId, long toSequenceNr, CancellationToken cancellationToken) =>
        _store.DeleteAsync(persistenceId, toSequenceNr, cancellationToken);
}
