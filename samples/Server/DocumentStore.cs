using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using System.Text;
using Voron.Storage;

namespace Voron.Samples.Server;

/// <summary>
/// Documents in trees: a collection is a tree, an id is a key. Small writes of all requests share transactions; what is long comes as a
/// stream. Every call that writes ends when it is on the device.
/// </summary>
internal sealed class DocumentStore(StorageEnvironment storage)
{
    /// <summary>Bodies up to here are written from the request's own buffers.</summary>
    internal const int SmallBytes = 64 << 10;

    /// <summary>Collections and how many documents they have.</summary>
    internal List<(string Collection, long Count)> Collections()
    {
        using ReadTransaction read = storage.BeginRead();
        List<(string, long)> all = [];
        foreach (string name in read.TreeNames)
        {
            all.Add((name, read.OpenTree(name).Count));
        }

        return all;
    }

    internal ReadTransaction BeginRead() => storage.BeginRead();

    /// <summary>Stores a document of which all bytes are there. They must stay until this has ended.</summary>
    internal ValueTask PutAsync(DocumentId id, ReadOnlySequence<byte> body, CancellationToken stop) => storage.WriteAsync(
        static (tx, put) => Put(tx, put.id, put.body), (id, body), stop);

    /// <summary>
    /// Stores a document of any length, piece by piece. The source must be at hand, a file and no slow network: nobody else writes
    /// meanwhile.
    /// </summary>
    internal async ValueTask PutAsync(DocumentId id, Stream body, CancellationToken stop)
    {
        using WriteTransaction tx = await storage.BeginWriteAsync(stop);
        PipeWriter value = tx.OpenTree(id.Collection).OpenValueWriter(id.Key);
        await body.CopyToAsync(value, stop);
        await value.CompleteAsync();
        await tx.CommitAsync(CommitMode.Durable, stop);
    }

    /// <summary>False when there was none.</summary>
    internal ValueTask<bool> DeleteAsync(DocumentId id, CancellationToken stop) => storage.WriteAsync(
        static (tx, which) => tx.TryOpenTree(which.Collection, out Tree tree) && tree.Delete(which.Key), id, stop);

    /// <summary>All changes or none.</summary>
    internal ValueTask ApplyAsync(IReadOnlyList<DocumentChange> changes, CancellationToken stop) => storage.WriteAsync(
        static (tx, all) =>
        {
            foreach (DocumentChange change in all)
            {
                if (change.Body is { } body)
                {
                    Put(tx, change.Id, new ReadOnlySequence<byte>(body));
                }
                else if (tx.TryOpenTree(change.Id.Collection, out Tree tree))
                {
                    tree.Delete(change.Id.Key);
                }
            }
        },
        changes,
        stop);

    /// <summary>Opens a document in a snapshot; the reader is good until that ends.</summary>
    internal static bool TryOpen(ReadTransaction read, DocumentId id, [NotNullWhen(true)] out PipeReader? body, out long bytes)
    {
        body = null;
        bytes = 0;
        if (!read.TryOpenTree(id.Collection, out ReadTree tree)
            || !tree.TryGetCeiling(id.Key, out TreeEntry entry)
            || !entry.Key.SequenceEqual(id.Key))
        {
            return false;
        }

        bytes = entry.ValueBytes;
        body = entry.OpenValueReader();
        return true;
    }

    /// <summary>Ids from one on, with a prefix, at most so many, and the lengths of the documents, which are not looked at.</summary>
    internal List<(string Id, long Bytes)> Scan(string collection, string from, string prefix, int most)
    {
        using ReadTransaction read = storage.BeginRead();
        List<(string, long)> found = [];
        if (!read.TryOpenTree(collection, out ReadTree tree))
        {
            return found;
        }

        byte[] start = Encoding.UTF8.GetBytes(string.CompareOrdinal(from, prefix) > 0 ? from : prefix);
        byte[] head = Encoding.UTF8.GetBytes(prefix);
        foreach (TreeEntry entry in tree.From(start))
        {
            if (found.Count == most || !entry.Key.StartsWith(head))
            {
                break;
            }

            found.Add((Encoding.UTF8.GetString(entry.Key), entry.ValueBytes));
        }

        return found;
    }

    internal static void Put(WriteTransaction tx, DocumentId id, ReadOnlySequence<byte> body) =>
        tx.OpenTree(id.Collection).Put(id.Key, checked((int)body.Length), body, static (value, source) => source.CopyTo(value));
}
