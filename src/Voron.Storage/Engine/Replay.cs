using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Transactions;

namespace Voron.Storage.Engine;

/// <summary>Replays the commits after a checkpoint's N through the ordinary tree code, into memory. Nothing on disk changes.</summary>
internal sealed class Replay(JournalFiles files, WriteSession session)
{
    /// <summary>Returns where the journal goes on.</summary>
    internal JournalStart Run(RecordMark mark)
    {
        using CommitJournalReader reader = new(files, mark);
        while (reader.TryReadTransaction(out TransactionId id, out ReadOnlySpan<byte> body))
        {
            session.BeginReplay(id);
            Apply(body);
            session.CommitReplayed(reader.LastCommit);
        }

        return reader.End;
    }

    private void Apply(ReadOnlySpan<byte> body)
    {
        int tree = -1;
        RedoReader redo = new(body);
        while (redo.MoveNext())
        {
            switch (redo.Operation)
            {
                case RedoOperation.SelectTree:
                    tree = session.OpenTree(redo.Key, create: false);
                    break;
                case RedoOperation.CreateTree:
                    session.OpenTree(redo.Key, create: true);
                    break;
                case RedoOperation.DropTree:
                    session.DropTree(redo.Key);
                    break;
                case RedoOperation.Put when tree >= 0:
                    session.Put(tree, redo.Key, redo.Value);
                    break;
                case RedoOperation.Delete when tree >= 0:
                    session.Delete(tree, redo.Key);
                    break;
                default:
                    Throw.NoTreeInReplay(redo.Operation);
                    break;
            }
        }
    }
}
