using System.Buffers.Binary;
using System.Globalization;
using System.IO.Pipelines;

namespace Voron.Storage.Replication;

/// <summary>Snapshots as files of a folder that all nodes reach, such as a network share.</summary>
/// <param name="folder">The folder, which is created if it is missing.</param>
public sealed class FolderSnapshots(string folder) : IReplicaSnapshots
{
    private const string Content = ".snapshot";
    private const string Head = ".head";

    /// <inheritdoc/>
    public async ValueTask<IReadOnlyList<ReplicaSnapshot>> ListAsync(CancellationToken cancellation)
    {
        Directory.CreateDirectory(folder);
        List<ReplicaSnapshot> all = [];
        foreach (string path in Directory.EnumerateFiles(folder, "*" + Head))
        {
            byte[] head = await File.ReadAllBytesAsync(path, cancellation).ConfigureAwait(false);
            if (head.Length > 2 * sizeof(long) && File.Exists(Path.ChangeExtension(path, Content)))
            {
                all.Add(new ReplicaSnapshot(
                    BinaryPrimitives.ReadInt64LittleEndian(head),
                    BinaryPrimitives.ReadInt64LittleEndian(head.AsSpan(sizeof(long))),
                    head.AsMemory(2 * sizeof(long))));
            }
        }

        return [.. all.OrderByDescending(static one => one.Position)];
    }

    /// <inheritdoc/>
    public async ValueTask WriteAsync(
        ReplicaSnapshot snapshot, Func<PipeWriter, CancellationToken, ValueTask> write, CancellationToken cancellation)
    {
        ArgumentNullException.ThrowIfNull(snapshot);
        ArgumentNullException.ThrowIfNull(write);
        Directory.CreateDirectory(folder);
        byte[] head = new byte[(2 * sizeof(long)) + snapshot.State.Length];
        BinaryPrimitives.WriteInt64LittleEndian(head, snapshot.Position);
        BinaryPrimitives.WriteInt64LittleEndian(head.AsSpan(sizeof(long)), snapshot.TransactionId);
        snapshot.State.CopyTo(head.AsMemory(2 * sizeof(long)));
        await WriteFileAsync(PathOf(snapshot, Content), write, cancellation).ConfigureAwait(false);

        // The head comes last: without it the content is no snapshot.
        await WriteFileAsync(
            PathOf(snapshot, Head),
            async (writer, stop) => await writer.WriteAsync(head, stop).ConfigureAwait(false),
            cancellation).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public async ValueTask ReadAsync(
        ReplicaSnapshot snapshot, Func<PipeReader, CancellationToken, ValueTask> read, CancellationToken cancellation)
    {
        ArgumentNullException.ThrowIfNull(snapshot);
        ArgumentNullException.ThrowIfNull(read);
        FileStream file = File.OpenRead(PathOf(snapshot, Content));
        await using (file.ConfigureAwait(false))
        {
            PipeReader reader = PipeReader.Create(file);
            await read(reader, cancellation).ConfigureAwait(false);
            await reader.CompleteAsync().ConfigureAwait(false);
        }
    }

    /// <inheritdoc/>
    public ValueTask DeleteAsync(ReplicaSnapshot snapshot, CancellationToken cancellation)
    {
        ArgumentNullException.ThrowIfNull(snapshot);
        File.Delete(PathOf(snapshot, Head));
        File.Delete(PathOf(snapshot, Content));
        return ValueTask.CompletedTask;
    }

    private static async ValueTask WriteFileAsync(
        string path, Func<PipeWriter, CancellationToken, ValueTask> write, CancellationToken cancellation)
    {
        string made = path + ".new";
        FileStream file = new(made, FileMode.Create, FileAccess.Write, FileShare.None);
        await using (file.ConfigureAwait(false))
        {
            PipeWriter writer = PipeWriter.Create(file, new StreamPipeWriterOptions(leaveOpen: true));
            await write(writer, cancellation).ConfigureAwait(false);
            await writer.FlushAsync(cancellation).ConfigureAwait(false);
            await writer.CompleteAsync().ConfigureAwait(false);
            file.Flush(flushToDisk: true);
        }

        File.Move(made, path, overwrite: true);
    }

    private string PathOf(ReplicaSnapshot snapshot, string kind) =>
        Path.Combine(folder, snapshot.Position.ToString("D16", CultureInfo.InvariantCulture) + kind);
}
