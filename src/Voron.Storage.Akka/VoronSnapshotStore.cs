using Akka.Persistence;
using Akka.Persistence.Snapshot;

namespace Voron.Storage.Akka;

/// <summary>The snapshot store plugin: a snapshot of each sequence number, the newest one found by one search.</summary>
public sealed class VoronSnapshotStore : SnapshotStore
{
    private readonly EventStore _store = VoronPersistence.Get(Context.System).Store;

    /// <inheritdoc/>
    protected override Task<SelectedSnapshot> LoadAsync(
        string persistenceId, SnapshotSelectionCriteria criteria, CancellationToken cancellationToken)
    {
        using ReadTransaction transaction = _store.Environment.BeginRead();
        if (transaction.TryOpenTree(_store.Names.Snapshots, out ReadTree snapshots) && criteria.MaxSequenceNr >= 0)
        {
            foreach (TreeEntry row in RangeOf(snapshots, persistenceId, criteria).Reverse())
            {
                using BinaryReader reader = new(new MemoryStream(row.Value.ToArray()));
                DateTime timestamp = new(reader.ReadInt64(), DateTimeKind.Utc);
                if (Matches(criteria, timestamp))
                {
                    SnapshotMetadata metadata = new(persistenceId, EventTrees.NumberOf(row.Key), timestamp);
                    return Task.FromResult(new SelectedSnapshot(metadata, StoredEvent.ReadPayload(reader, _store.System)));
                }
            }
        }

        // Null means that there is none.
        return Task.FromResult<SelectedSnapshot>(null!);
    }

    /// <inheritdoc/>
    protected override async Task SaveAsync(SnapshotMetadata metadata, object snapshot, CancellationToken cancellationToken)
    {
        using MemoryStream bytes = new();
        using BinaryWriter writer = new(bytes);
        writer.Write(metadata.Timestamp.Ticks);
        StoredEvent.WritePayload(writer, _store.System, snapshot);
        writer.Flush();
        await _store.Environment.WriteAsync(
            static (transaction, save) =>
            {
                transaction.OpenTree(save.Names.Snapshots).Put(EventTrees.KeyOf(save.PersistenceId, save.SequenceNr), save.value);
                EventStore.Register(transaction, save.Names, save.PersistenceId, 0);
            },
            (_store.Names, metadata.PersistenceId, metadata.SequenceNr, value: bytes.ToArray()),
            cancellationToken).ConfigureAwait(false);
        _store.Signal.Raise();
    }

    /// <inheritdoc/>
    protected override async Task DeleteAsync(SnapshotMetadata metadata, CancellationToken cancellationToken)
    {
        // Without a time in the metadata, any snapshot of the sequence number is meant; otherwise one that is not newer.
        DateTime newest = metadata.Timestamp == DateTime.MinValue ? DateTime.MaxValue : metadata.Timestamp;
        await DeleteAsync(
            metadata.PersistenceId,
            new SnapshotSelectionCriteria(metadata.SequenceNr, newest, metadata.SequenceNr),
            cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    protected override async Task DeleteAsync(
        string persistenceId, SnapshotSelectionCriteria criteria, CancellationToken cancellationToken) =>
        await _store.Environment.WriteAsync(
            static (transaction, delete) =>
            {
                Tree snapshots = transaction.OpenTree(delete.Snapshots);
                List<byte[]> keys = [];
                foreach (TreeEntry row in RangeOf(snapshots.AsReadTree(), delete.persistenceId, delete.criteria))
                {
                    if (Matches(delete.criteria, new DateTime(BitConverter.ToInt64(row.Value), DateTimeKind.Utc)))
                    {
                        keys.Add(row.Key.ToArray());
                    }
                }

                keys.ForEach(key => snapshots.Delete(key));
            },
            (_store.Names.Snapshots, persistenceId, criteria),
            cancellationToken).ConfigureAwait(false);

    private static TreeRange RangeOf(ReadTree snapshots, string persistenceId, SnapshotSelectionCriteria criteria) => snapshots.Range(
        EventTrees.KeyOf(persistenceId, Math.Max(0, criteria.MinSequenceNr)),
        includeFrom: true,
        EventTrees.KeyOf(persistenceId, Math.Max(0, criteria.MaxSequenceNr)),
        includeTo: true);

    private static bool Matches(SnapshotSelectionCriteria criteria, DateTime timestamp) =>
        timestamp <= criteria.MaxTimeStamp && !(timestamp < criteria.MinTimestamp);
}
