using System.IO.Pipelines;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Transactions;

namespace Voron.Storage.History;

/// <summary>Applies streams of changes to an open follower, and makes it a database of its own.</summary>
internal static class Follower
{
    internal static async ValueTask<ApplyReport> ApplyAsync(Database database, PipeReader pipe, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        database.ThrowIfDisposed();
        FrameReader frames = new(pipe, cancellation);
        StreamHead head = await frames.ReadHeadAsync().ConfigureAwait(false);
        if (head.IsFull != 0)
        {
            Throw.FullToApply();
        }

        Accept(database, head);
        ChangeApplier applier = new(database, frames, long.MaxValue, cancellation) { UpTo = TransactionId.AfterAll };
        bool isComplete = await applier.RunAsync(head).ConfigureAwait(false);
        return new ApplyReport(database.Parts.Pipeline.LastSealed.Value, head.Guid, applier.Transactions, isComplete);
    }

    /// <summary>Ends that the database is a follower; nothing happens if it is none.</summary>
    internal static async ValueTask PromoteAsync(Database database, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        database.ThrowIfDisposed();
        if (database.Source is null)
        {
            return;
        }

        // The mark first: a follower with a transaction of its own would pass over the one of the source that has the same number.
        await ForgetPositionsAsync(
            database, () => FollowerMark.Delete(database.Parts.Files.Disk, PathsOf(database)), cancellation).ConfigureAwait(false);
        database.Source = null;
    }

    /// <summary>Drops the named positions, which are those of consumers of the source.</summary>
    internal static ValueTask ForgetPositionsAsync(Database database, CancellationToken cancellation) =>
        ForgetPositionsAsync(database, static () => { }, cancellation);

    private static async ValueTask ForgetPositionsAsync(Database database, Action before, CancellationToken cancellation)
    {
        WriteHandle lease = (await database.BeginWriteAsync(Timeout.InfiniteTimeSpan, cancellation, applies: true).ConfigureAwait(false))!;
        WriteSession session = lease.Session;
        long generation = session.Generation;
        ValueTask commit;
        try
        {
            before();
            session.Trees.Drop(generation, InternalTrees.Feeds);
            commit = session.CommitAsync(lease, generation, CommitMode.Durable);
        }
        catch
        {
            session.Rollback(lease, generation);
            throw;
        }

        await commit.ConfigureAwait(false);
    }

    /// <summary>An empty database becomes a follower of the first source whose changes from the first on are applied.</summary>
    private static void Accept(Database database, StreamHead head)
    {
        TransactionId newest = database.Parts.Pipeline.LastSealed;
        if (database.Source is { } source && source != head.DatabaseId)
        {
            Throw.OtherDatabase(head.DatabaseId, source);
        }

        if (newest > TransactionId.None)
        {
            if (database.Source is null)
            {
                database.ThrowIfReadOnly();
                Throw.NoFollower(newest);
            }

            return;
        }

        database.ThrowIfReadOnly();
        if (head.After > TransactionId.None)
        {
            Throw.Gap(head.After.Next, newest);
        }

        // A mark that could not be written may be there all the same: no transaction of its own may be committed beside it, and the next
        // attempt writes it again.
        database.Source = head.DatabaseId;
        FollowerMark.Write(database.Parts.Files.Disk, PathsOf(database), head.DatabaseId);
    }

    private static DatabasePaths PathsOf(Database database) => new(Path.GetDirectoryName(database.Parts.File.Path)!);
}
