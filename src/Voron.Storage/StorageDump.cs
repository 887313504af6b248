using System.IO.Pipelines;
using Voron.Storage.Transfer;

namespace Voron.Storage;

/// <summary>
/// Entries as text, in the format of the tools <c>mdb_dump</c> and <c>mdb_load</c> of LMDB, which those of Berkeley DB and libmdbx share:
/// to move data between stores, to keep it in a form that needs no software, or to look at it. Both directions stream with bounded memory.
/// </summary>
public static class StorageDump
{
    /// <summary>
    /// Writes one tree or all trees, as one snapshot sees them, beside other readers and writers. The pipe is flushed before the call
    /// returns; it is not completed, neither then nor after a failure.
    /// </summary>
    /// <param name="environment">The open database.</param>
    /// <param name="writer">Receives the dump; <c>PipeWriter.Create(stream)</c> writes to a stream.</param>
    /// <param name="options">What to dump, and in which format; null for all trees in hexadecimal digits.</param>
    /// <param name="cancellationToken">Ends the dump in the middle.</param>
    /// <exception cref="TreeNotFoundException">There is no tree of that name; nothing was written.</exception>
    /// <exception cref="DumpFormatException">The dump is strict, and <c>mdb_load</c> would refuse an entry or a name.</exception>
    /// <exception cref="StorageIOException">The reader of the pipe completed before the end.</exception>
    /// <exception cref="StorageCorruptException">A page of a dumped tree is damaged.</exception>
    /// <exception cref="OperationCanceledException">The dump was cancelled.</exception>
    public static ValueTask<DumpReport> WriteAsync(
        StorageEnvironment environment, PipeWriter writer, DumpOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(environment);
        ArgumentNullException.ThrowIfNull(writer);
        options ??= new DumpOptions();
        return Dump.WriteAsync(
            environment.Database, writer, options, NameOf(options.Tree, options.TreeNameBytes), cancellationToken);
    }

    /// <summary>
    /// Stores the entries of a dump of this library, LMDB, libmdbx or Berkeley DB, or of JSON lines. Missing trees are created. The whole
    /// input is one transaction, unless <see cref="LoadOptions.EntriesPerTransaction"/> says otherwise; it is durable when the call
    /// returns, and rolled back if it fails. The pipe is not completed.
    /// </summary>
    /// <param name="environment">The open database.</param>
    /// <param name="reader">The input; <c>PipeReader.Create(stream)</c> reads from a stream.</param>
    /// <param name="options">Where the entries go, and what the input is; null for a dump whose sections name their trees.</param>
    /// <param name="cancellationToken">Ends the load; the open transaction is rolled back.</param>
    /// <exception cref="ArgumentException">The options contradict each other, or JSON lines have no tree.</exception>
    /// <exception cref="DumpFormatException">A line of the input is wrong, or its end is missing; the message says what to do.</exception>
    /// <exception cref="StorageReadOnlyException">The environment was opened for reading only.</exception>
    /// <exception cref="StorageFullException">The disk has no space for the entries.</exception>
    /// <exception cref="CommitOutcomeUnknownException">The journal could not be written.</exception>
    /// <exception cref="OperationCanceledException">The load was cancelled.</exception>
    public static ValueTask<LoadReport> LoadAsync(
        StorageEnvironment environment, PipeReader reader, LoadOptions? options = null, CancellationToken cancellationToken = default) =>
        LoadAsync(environment, reader, options, null, cancellationToken);

    /// <summary>
    /// Loads like <see cref="LoadAsync(StorageEnvironment, PipeReader, LoadOptions?, CancellationToken)"/>, and reports how far it is:
    /// about once for each mebibyte of the input, and after each commit.
    /// </summary>
    public static ValueTask<LoadReport> LoadAsync(
        StorageEnvironment environment,
        PipeReader reader,
        LoadOptions? options,
        IProgress<LoadProgress>? progress,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(environment);
        ArgumentNullException.ThrowIfNull(reader);
        options ??= new LoadOptions();
        byte[]? tree = NameOf(options.Tree, options.TreeNameBytes);
        ArgumentOutOfRangeException.ThrowIfNegative(options.EntriesPerTransaction);
        if (options is { Append: true, NoOverwrite: true })
        {
            throw new ArgumentException("Append and NoOverwrite exclude each other: appended keys are new.", nameof(options));
        }

        if (options.JsonKey is not null && tree is null)
        {
            throw new ArgumentException("JSON lines name no tree: set LoadOptions.Tree to the one that they go to.", nameof(options));
        }

        return Load.RunAsync(environment.Database, reader, options, tree, progress, cancellationToken);
    }

    private static byte[]? NameOf(string? text, ReadOnlyMemory<byte> bytes)
    {
        if (text is not null && !bytes.IsEmpty)
        {
            throw new ArgumentException("Tree and TreeNameBytes exclude each other: name the tree by one of them.");
        }

        byte[]? name = text is null ? bytes.IsEmpty ? null : bytes.ToArray() : Dump.NameOf(text);
        return name;
    }
}
