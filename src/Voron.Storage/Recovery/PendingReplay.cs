using Voron.Storage.Checkpoints;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Transactions;

namespace Voron.Storage.Recovery;

/// <summary>
/// Applies the records that a checkpoint's snapshot includes, from the first that may have an entry which is pending there, to the pending
/// trees of the snapshot.
/// </summary>
internal sealed class PendingReplay(JournalFiles files, WriteSession session)
{
    private readonly PendingRecovery _pending = session.BringBack();

    internal void Run(CheckpointBase onDisk, CancellationToken cancellation)
    {
        TransactionId since = _pending.Begin(session.Source, onDisk.TransactionId, onDisk.PendingSequence);
        HashSet<long>? abandoned = null;
        using PendingJournalReader reader = new(files, onDisk.PendingSequence, onDisk.Mark, since);
        PageNumber tree = default;
        long body = -1;
        while (reader.TryRead(out TransactionPart part))
        {
            cancellation.ThrowIfCancellationRequested();
            body += part.IsFirst ? 1 : 0;
            if (!part.IsLast)
            {
                abandoned ??= FindAbandoned(onDisk, since, cancellation);
            }

            if (abandoned?.Contains(body) == true)
            {
                continue;
            }

            tree = part.IsFirst ? default : tree;
            Apply(new RedoReader(part.Body, part.IsFirst), part.Id, ref tree);
            if (part.IsLast && session.Savepoints.Count > 0)
            {
                _pending.Apply();
                session.Savepoints.ReleaseDepth(session.Generation, 0);
            }
        }

        _pending.Apply();
    }

    /// <summary>Returns which of the bodies begun, in the order of the journal, have no last part.</summary>
    private HashSet<long> FindAbandoned(CheckpointBase onDisk, TransactionId since, CancellationToken cancellation)
    {
        HashSet<long> abandoned = [];
        long body = -1;
        using PendingJournalReader reader = new(files, onDisk.PendingSequence, onDisk.Mark, since);
        while (reader.TryRead(out TransactionPart part))
        {
            cancellation.ThrowIfCancellationRequested();
            body += part.IsFirst ? 1 : 0;
            if (part.IsLast)
            {
                abandoned.Remove(body);
            }
            else
            {
                abandoned.Add(body);
            }
        }

        return abandoned;
    }

    private void Apply(RedoReader redo, TransactionId transaction, ref PageNumber tree)
    {
        while (redo.MoveNext())
        {
            switch (redo.Operation)
            {
                case RedoOperation.SelectTree:
                    tree = _pending.Find(redo.Key, transaction);
                    break;
                case RedoOperation.CreateTree or RedoOperation.CreateTreeOf:
                    _pending.Begin(redo.Key, transaction);
                    break;
                case RedoOperation.RenameTree:
                    _pending.Begin(redo.Value, transaction);
                    break;
                case RedoOperation.Put when tree != default:
                    _pending.Put(tree, redo.Key, redo.Value, transaction);
                    break;
                case RedoOperation.PutPlaced when tree != default:
                    _pending.PutBelow(tree, redo.Key);
                    break;
                case RedoOperation.Delete when tree != default:
                    _pending.Delete(tree, redo.Key, transaction);
                    break;
                case RedoOperation.DeleteRange when tree != default:
                    _pending.DeleteRange(tree, redo.Key, redo.Value);
                    break;
                case RedoOperation.Savepoint:
                    _pending.Apply();
                    session.Savepoints.Create(session.Generation);
                    break;
                case RedoOperation.RollbackTo when redo.Depth < session.Savepoints.Count:
                    _pending.Apply();
                    session.Savepoints.RollbackToDepth(session.Generation, redo.Depth);
                    tree = default;
                    break;
                case RedoOperation.Release when redo.Depth < session.Savepoints.Count:
                    _pending.Apply();
                    session.Savepoints.ReleaseDepth(session.Generation, redo.Depth);
                    break;
            }
        }
    }
}
