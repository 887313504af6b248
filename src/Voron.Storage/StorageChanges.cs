using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Voron.Storage.History;

namespace Voron.Storage;

/// <summary>
/// The commit journal as a source: every committed transaction, in order and exactly as it was committed, for consumers that follow the
/// database, such as a search index, a cache or a message broker.
/// </summary>
public static class StorageChanges
{
    /// <summary>
    /// Reads the changes of all transactions after a given one: first those in the journal, then new ones as soon as they are durable. Does
    /// not end by itself. Writers do not wait for it.
    /// </summary>
    /// <param name="environment">The open database.</param>
    /// <param name="after">The last transaction that the caller has seen; 0 for all since the database was created.</param>
    /// <param name="filter">Which changes are shown; null for all.</param>
    /// <param name="cancellationToken">Ends the feed.</param>
    /// <exception cref="ArgumentOutOfRangeException">The database has no transaction of that number yet.</exception>
    /// <exception cref="ChangesGoneException">The journal does not have all of them any more.</exception>
    /// <exception cref="StorageCorruptException">A record or a value is damaged.</exception>
    /// <exception cref="ObjectDisposedException">The environment was disposed.</exception>
    /// <exception cref="OperationCanceledException">The feed was cancelled.</exception>
    public static IAsyncEnumerable<ChangeSet> ReadChangesAsync(
        this StorageEnvironment environment, long after, ChangeFilter? filter = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(environment);
        ChangeFeed.CheckAfter(environment.Database, after);
        return ReadAsync(environment, after, filter, cancellationToken);
    }

    /// <summary>
    /// Keeps the changes after a transaction for a consumer, also while it does not run and the database is closed. It calls this again as
    /// it advances, which lets go of what is before. Nothing but chunks of the journal is held back, at most
    /// <see cref="StorageOptions.KeepChangesBytes"/>: then the oldest position is dropped, with <see
    /// cref="StorageEventKind.ChangesDropped"/>. Large values (64 KiB and more) that were replaced or deleted since may be gone all the
    /// same.
    /// </summary>
    /// <param name="environment">The open database.</param>
    /// <param name="name">The consumer; up to 255 bytes in UTF-8.</param>
    /// <param name="transactionId">The last transaction that the consumer no longer needs.</param>
    /// <param name="cancellationToken">Ends the wait for the writer lock; nothing is changed then.</param>
    /// <exception cref="InvalidOperationException"><see cref="StorageOptions.KeepChangesBytes"/> is 0.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The database has no transaction of that number yet.</exception>
    /// <exception cref="ChangesGoneException">The changes after it are not there any more.</exception>
    /// <exception cref="CommitOutcomeUnknownException">The journal could not be written.</exception>
    public static ValueTask KeepChangesFromAsync(
        this StorageEnvironment environment, string name, long transactionId, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(environment);
        return NamedPositions.KeepAsync(environment.Database, name, transactionId, cancellationToken);
    }

    /// <summary>Removes the position of a consumer that will not come back; false if there is none of that name.</summary>
    /// <exception cref="InvalidOperationException"><see cref="StorageOptions.KeepChangesBytes"/> is 0.</exception>
    /// <exception cref="CommitOutcomeUnknownException">The journal could not be written.</exception>
    public static ValueTask<bool> StopKeepingChangesAsync(
        this StorageEnvironment environment, string name, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(environment);
        return NamedPositions.ReleaseAsync(environment.Database, name, cancellationToken);
    }

    /// <summary>Writes the changes after a transaction to a pipe, up to the last transaction that is durable.</summary>
    /// <inheritdoc cref="CopyChangesAsync(StorageEnvironment, long, PipeWriter, CopyChangesOptions?, CancellationToken)"/>
    public static ValueTask<BackupReport> CopyChangesAsync(
        this StorageEnvironment environment, long after, PipeWriter writer, CancellationToken cancellationToken = default) =>
        environment.CopyChangesAsync(after, writer, null, cancellationToken);

    /// <summary>Writes the changes after a transaction to a pipe, for a follower or an archive.</summary>
    /// <param name="environment">The open database.</param>
    /// <param name="after">The last transaction that the follower has; 0 for an empty one.</param>
    /// <param name="writer">Receives the stream. It is flushed and not completed.</param>
    /// <param name="options">Whether to go on with new transactions; null for the defaults.</param>
    /// <param name="cancellationToken">Ends it; the stream has no end then, and <see cref="ApplyAsync"/> takes it all the same.</param>
    /// <exception cref="ArgumentOutOfRangeException">The database has no transaction of that number yet.</exception>
    /// <exception cref="ChangesGoneException">The journal does not have all of them any more.</exception>
    /// <exception cref="StorageIOException">The reader of the pipe completed before the end.</exception>
    /// <exception cref="StorageCorruptException">A record or a value is damaged.</exception>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    public static async ValueTask<BackupReport> CopyChangesAsync(
        this StorageEnvironment environment,
        long after,
        PipeWriter writer,
        CopyChangesOptions? options,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(environment);
        ArgumentNullException.ThrowIfNull(writer);
        using ChangeStream stream = new(environment.Database, after, writer, cancellationToken);
        return await stream.RunAsync(options?.Follow ?? false).ConfigureAwait(false);
    }

    /// <summary>
    /// Applies a stream of changes to a follower: a database restored with <see cref="RestoreOptions.AsFollower"/>, or an empty one, which
    /// becomes a follower of the source. Each transaction is applied as a whole and keeps its number; those that are there already are
    /// passed over, so a stream can be applied again. Everything is durable when the call returns. The pipe is not completed.
    /// </summary>
    /// <param name="environment">The open follower.</param>
    /// <param name="reader">The stream.</param>
    /// <param name="cancellationToken">Ends it after a transaction.</param>
    /// <exception cref="InvalidOperationException">The database has transactions of its own, or the stream is a full backup.</exception>
    /// <exception cref="ChangesGoneException">Transactions are missing before the stream, or it is of another database.</exception>
    /// <exception cref="BackupFormatException">The stream is damaged; the transactions before are applied.</exception>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    public static ValueTask<ApplyReport> ApplyAsync(
        this StorageEnvironment environment, PipeReader reader, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(environment);
        ArgumentNullException.ThrowIfNull(reader);
        return Follower.ApplyAsync(environment.Database, reader, cancellationToken);
    }

    /// <summary>
    /// Makes a follower a database of its own, which is written to like any other and takes no more changes of its source. Does nothing if
    /// the database is no follower.
    /// </summary>
    /// <exception cref="StorageIOException">
    /// The file that makes it a follower could not be removed, or may come back after a power failure. It is a follower until another call
    /// succeeds; after a reopening it may be none.
    /// </exception>
    public static ValueTask PromoteAsync(this StorageEnvironment environment, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(environment);
        return Follower.PromoteAsync(environment.Database, cancellationToken);
    }

    private static async IAsyncEnumerable<ChangeSet> ReadAsync(
        StorageEnvironment environment,
        long after,
        ChangeFilter? filter,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        using ChangeFeed feed = new(environment.Database, after, filter);
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (feed.TryNext(cancellationToken))
            {
                yield return new ChangeSet(feed.Changes);
            }
            else
            {
                await feed.WaitAsync(cancellationToken).ConfigureAwait(false);
            }
        }
    }
}
