using System.Runtime.InteropServices;
using System.Text;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Transactions;

namespace Voron.Storage.History;

/// <summary>Changes the named positions: in the tree and in memory, so that nothing is let go before the change is durable.</summary>
internal static class NamedPositions
{
    internal static async ValueTask KeepAsync(Database database, string name, long position, CancellationToken cancellation)
    {
        byte[] key = KeyOf(name);
        KeptPositions kept = PositionsOf(database);
        ChangeFeed.CheckAfter(database, position);
        TransactionId asked = new(position);
        TransactionId? before = kept.Find(name);
        if (before == asked)
        {
            return;
        }

        database.Parts.Session.Redo.Times?.Want();
        List<(TransactionId PutBy, PlacedRun Run)> named = [];
        if (before is null || asked < before)
        {
            Hold(database, kept, name, asked);
            named = asked < database.Parts.Pipeline.LastSealed ? NamedRuns.Find(database.Parts.Files, asked) : named;
        }

        try
        {
            await WriteAsync(database, kept, key, asked, named, cancellation).ConfigureAwait(false);
        }
        catch
        {
            kept.Set(name, before);
            throw;
        }

        kept.Set(name, asked);
    }

    /// <summary>Removes a position; false if there is none of that name.</summary>
    internal static async ValueTask<bool> ReleaseAsync(Database database, string name, CancellationToken cancellation)
    {
        byte[] key = KeyOf(name);
        KeptPositions kept = PositionsOf(database);
        database.ThrowIfDisposed();
        if (kept.Find(name) is null)
        {
            return false;
        }

        await WriteAsync(database, kept, key, null, [], cancellation).ConfigureAwait(false);
        kept.Set(name, null);
        return true;
    }

    private static void Hold(Database database, KeptPositions kept, string name, TransactionId position)
    {
        if (!kept.TryHold(name, position))
        {
            using ChangeReader reader = new(database.Parts.Files, position);
            Throw.Gone(position, reader.FindOldest(database.Parts.Pipeline.LastDurable));
        }
    }

    private static async ValueTask WriteAsync(
        Database database,
        KeptPositions kept,
        byte[] key,
        TransactionId? position,
        List<(TransactionId PutBy, PlacedRun Run)> named,
        CancellationToken cancellation)
    {
        WriteHandle lease = (await database.BeginWriteAsync(Timeout.InfiniteTimeSpan, cancellation).ConfigureAwait(false))!;
        WriteSession session = lease.Session;
        long generation = session.Generation;
        List<string> dropped = kept.Dropped;
        ValueTask commit;
        try
        {
            kept.KeepFreed(named);
            int tree = session.Trees.Open(generation, InternalTrees.Feeds, create: true);
            dropped.ForEach(name => session.Trees.Delete(generation, tree, Encoding.UTF8.GetBytes(name)));
            if (position is { } id)
            {
                session.Trees.Put(generation, tree, key, MemoryMarshal.AsBytes(new ReadOnlySpan<TransactionId>(in id)));
            }
            else
            {
                session.Trees.Delete(generation, tree, key);
            }

            commit = session.CommitAsync(lease, generation, CommitMode.Durable);
        }
        catch
        {
            session.Rollback(lease, generation);
            throw;
        }

        await commit.ConfigureAwait(false);
        kept.Forgot(dropped);
    }

    private static byte[] KeyOf(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        byte[] key = Encoding.UTF8.GetBytes(name);
        if (key.Length > FormatConstants.MaxNameBytes)
        {
            Throw.LongName(name, key.Length);
        }

        return key;
    }

    private static KeptPositions PositionsOf(Database database)
    {
        if (database.Kept is null)
        {
            Throw.KeepsNothing();
        }

        return database.Kept;
    }
}
