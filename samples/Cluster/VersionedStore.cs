using System.Buffers;
using Voron.Samples.Server;
using Voron.Storage;

namespace Voron.Samples.Cluster;

/// <summary>
/// Documents with versions. A version is a number of chance that the leader draws for each write and the log carries, so it is the same on
/// all nodes and never comes again: a document that was changed and changed back, or deleted and stored again, has another one.
/// </summary>
internal sealed class VersionedStore(StorageEnvironment storage)
{
    /// <summary>Trees of the store's own begin with it.</summary>
    private const char Own = '$';
    private const string Refusals = "$refusals";
    private const int MostCollectionLength = 100;
    private const int VersionBytes = 16;

    internal DocumentStore Documents { get; } = new(storage);

    internal static bool IsShown(string collection) => collection[0] != Own;

    internal static DocumentId Checked(DocumentId id) => IsShown(id.Collection) && id.Collection.Length <= MostCollectionLength
        ? id
        : throw new ArgumentException($"A collection does not begin with '{Own}' and has at most {MostCollectionLength} characters.");

    /// <summary>A document and its version; null if there is none.</summary>
    internal (byte[] Body, Guid Version)? Get(DocumentId id)
    {
        using ReadTransaction read = storage.BeginRead();
        return read.TryOpenTree(id.Collection, out ReadTree tree)
            && tree.Get(id.Key) is { } body
            && read.TryOpenTree(VersionsOf(id), out ReadTree versions)
            && versions.Get(id.Key) is { } version
                ? (body, new Guid(version))
                : null;
    }

    internal ValueTask<WriteAnswer> PutAsync(DocumentId id, byte[] body, Condition condition, Guid version) => storage.WriteAsync(
        static (tx, put) =>
        {
            if (!put.condition.Holds(Find(tx, put.id)))
            {
                return Confirm(tx, WriteAnswer.Refused, put.version);
            }

            Put(tx, put.id, put.body, put.version);
            return WriteAnswer.Done;
        },
        (id, body, condition, version));

    internal ValueTask<WriteAnswer> DeleteAsync(DocumentId id, Condition condition) => storage.WriteAsync(
        static (tx, delete) =>
        {
            Guid? version = Find(tx, delete.id);
            if (!delete.condition.Holds(version))
            {
                return Confirm(tx, WriteAnswer.Refused, delete.version);
            }

            return Delete(tx, delete.id) ? WriteAnswer.Done : Confirm(tx, WriteAnswer.Missing, delete.version);
        },
        (id, condition, version: Guid.NewGuid()));

    /// <summary>All changes or none.</summary>
    internal ValueTask<WriteAnswer> ApplyAsync(IReadOnlyList<(DocumentChange Change, Guid Version)> changes) => storage.WriteAsync(
        static (tx, all) =>
        {
            foreach ((DocumentChange change, Guid version) in all)
            {
                if (change.Body is { } body)
                {
                    Put(tx, change.Id, body, version);
                }
                else
                {
                    Delete(tx, change.Id);
                }
            }

            return WriteAnswer.Done;
        },
        changes);

    private static Guid? Find(WriteTransaction tx, DocumentId id) =>
        tx.TryOpenTree(VersionsOf(id), out Tree versions) && versions.TryGet(id.Key, out ReadOnlySpan<byte> version)
            ? new Guid(version)
            : null;

    private static void Put(WriteTransaction tx, DocumentId id, byte[] body, Guid version)
    {
        DocumentStore.Put(tx, id, new ReadOnlySequence<byte>(body));
        Put(tx, VersionsOf(id), id.Key, version);
    }

    private static bool Delete(WriteTransaction tx, DocumentId id) => tx.TryOpenTree(VersionsOf(id), out Tree versions)
        && versions.Delete(id.Key)
        && tx.OpenTree(id.Collection).Delete(id.Key);

    /// <summary>
    /// An answer about what is there is as much a promise as a write: a leader that was deposed and has not noticed would give it of a
    /// state of long ago. With a change in the transaction, the answer goes out when the log has it, and so when this node still led.
    /// </summary>
    private static WriteAnswer Confirm(WriteTransaction tx, WriteAnswer answer, Guid version)
    {
        Put(tx, Refusals, "last"u8, version);
        return answer;
    }

    private static void Put(WriteTransaction tx, string tree, ReadOnlySpan<byte> key, Guid version)
    {
        Span<byte> bytes = stackalloc byte[VersionBytes];
        version.TryWriteBytes(bytes);
        tx.OpenTree(tree).Put(key, bytes);
    }

    private static string VersionsOf(DocumentId id) => Own + id.Collection;
}
