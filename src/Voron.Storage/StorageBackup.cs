using System.IO.Pipelines;
using Voron.Storage.Engine;
using Voron.Storage.History;

namespace Voron.Storage;

/// <summary>
/// Backups of an open database: all of it beside readers and writers, or the transactions since an earlier one; and databases made of them.
/// Streams go through pipes, which are flushed and never completed here: <c>PipeWriter.Create(stream)</c> and
/// <c>PipeReader.Create(stream)</c> use files.
/// </summary>
public static class StorageBackup
{
    /// <summary>
    /// Writes everything that is committed now. It is a reader like any other: writers and checkpoints go on, and the pages of its snapshot
    /// are kept until it is done. The stream ends only after its snapshot is durable in the source.
    /// </summary>
    /// <param name="environment">The open database.</param>
    /// <param name="writer">Receives the stream.</param>
    /// <param name="options">Settings; null for the defaults.</param>
    /// <param name="progress">Receives the part of the entries that is written, from 0 to 1.</param>
    /// <param name="cancellationToken">Ends it; the stream has no end then.</param>
    /// <exception cref="StorageIOException">The reader of the pipe completed before the end.</exception>
    /// <exception cref="StorageCorruptException">A page is damaged.</exception>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    public static ValueTask<BackupReport> BackupAsync(
        this StorageEnvironment environment,
        PipeWriter writer,
        BackupOptions? options = null,
        IProgress<double>? progress = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(environment);
        ArgumentNullException.ThrowIfNull(writer);
        long bytesPerSecond = options?.BytesPerSecond ?? 0;
        ArgumentOutOfRangeException.ThrowIfNegative(bytesPerSecond, nameof(options));
        Database database = environment.Database;
        database.Parts.Session.Redo.Times?.Want();
        FrameWriter frames = new(writer, database.Options.TimeProvider, bytesPerSecond, cancellationToken);
        return new FullStream(database, database.BeginRead(), frames, progress, cancellationToken).RunAsync();
    }

    /// <summary>Writes the transactions after a given one up to the last durable one, for a restore after a full backup.</summary>
    /// <param name="environment">The open database.</param>
    /// <param name="writer">Receives the stream.</param>
    /// <param name="after">The last transaction of the backup before.</param>
    /// <param name="cancellationToken">Ends it; the stream has no end then.</param>
    /// <exception cref="ArgumentOutOfRangeException">The database has no transaction of that number yet.</exception>
    /// <exception cref="ChangesGoneException">The journal does not have all of them any more: take a full backup.</exception>
    /// <exception cref="StorageIOException">The reader of the pipe completed before the end.</exception>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    public static ValueTask<BackupReport> BackupChangesAsync(
        this StorageEnvironment environment, PipeWriter writer, long after, CancellationToken cancellationToken = default) =>
        environment.CopyChangesAsync(after, writer, cancellationToken);

    /// <summary>
    /// Makes a database of a full backup and any number of changes after it, in their order; they may overlap. It is made in a folder with
    /// <c>.restoring</c> after the name, and renamed when all of it is durable: a restore that fails or is killed leaves nothing that looks
    /// like a database, and the next one removes what it left. The transactions keep their numbers, and the database gets a new id.
    /// </summary>
    /// <param name="path">The folder of the database: new, or (not on Windows) empty.</param>
    /// <param name="backups">The streams; the first one is a full backup.</param>
    /// <param name="options">How far to restore, and how; null for the defaults.</param>
    /// <param name="progress">Receives the number of transactions that were applied, after each stream.</param>
    /// <param name="cancellationToken">Ends it; its files are removed.</param>
    /// <exception cref="ArgumentException">There are files in the folder, or there is no stream.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The streams do not have the transaction or the time that is asked for.</exception>
    /// <exception cref="BackupFormatException">A stream is damaged, incomplete, or not the one that is needed.</exception>
    /// <exception cref="ChangesGoneException">Transactions between two streams are missing, or a stream is of another database.</exception>
    /// <exception cref="StorageFullException">The disk has no space for the database.</exception>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    public static ValueTask<RestoreReport> RestoreAsync(
        string path,
        IReadOnlyList<PipeReader> backups,
        RestoreOptions? options = null,
        IProgress<long>? progress = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        CheckStreams(backups);
        options ??= new RestoreOptions();
        OptionRules.Check(options.Storage);
        return new Restore(options, progress, cancellationToken).RunAsync(Path.GetFullPath(path), backups);
    }

    /// <summary>
    /// Restores a full backup and any number of changes after it into memory, which has to hold the whole database, and checks all trees
    /// and pages as <see cref="StorageEnvironment.Check(IProgress{double}?, CancellationToken)"/> does: proof that a restore of these
    /// streams succeeds.
    /// </summary>
    /// <param name="backups">The streams, as for <see cref="RestoreAsync"/>.</param>
    /// <param name="progress">Receives the number of transactions that were applied, after each stream.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="ArgumentException">There is no stream.</exception>
    /// <exception cref="BackupFormatException">A stream is damaged, incomplete, or not the one that is needed.</exception>
    /// <exception cref="ChangesGoneException">Transactions between two streams are missing, or a stream is of another database.</exception>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    public static ValueTask<CheckReport> CheckAsync(
        IReadOnlyList<PipeReader> backups, IProgress<long>? progress = null, CancellationToken cancellationToken = default)
    {
        CheckStreams(backups);
        return new Restore(new RestoreOptions(), progress, cancellationToken).CheckAsync(backups);
    }

    /// <summary>Reads a stream to its end and checks that it is whole; nothing is written.</summary>
    /// <exception cref="BackupFormatException">The stream is damaged, incomplete, or not one of this engine.</exception>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    public static ValueTask<BackupReport> VerifyAsync(PipeReader reader, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(reader);
        return Verification.RunAsync(reader, cancellationToken);
    }

    private static void CheckStreams(IReadOnlyList<PipeReader> backups)
    {
        ArgumentNullException.ThrowIfNull(backups);
        if (backups.Count == 0)
        {
            throw new ArgumentException("A restore needs a full backup.", nameof(backups));
        }
    }
}
