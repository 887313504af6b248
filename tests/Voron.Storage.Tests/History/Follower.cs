using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using FluentAssertions;
using Voron.Storage.Tests.Transfer;

namespace Voron.Storage.Tests.History;

/// <summary>A database that is made of the changes of another one, through the public doors alone.</summary>
internal sealed class Follower : IDisposable
{
    private readonly StorageEnvironment _environment = StorageEnvironment.OpenInMemory();

    internal long Seen { get; private set; }

    internal int Sets { get; private set; }

    /// <summary>Reads until a transaction of the source, and expects its content.</summary>
    internal async Task FollowAsync(StorageEnvironment source, long upTo)
    {
        using CancellationTokenSource stop = new();
        if (Seen >= upTo)
        {
            return;
        }

        await foreach (ChangeSet set in source.ReadChangesAsync(Seen, null, stop.Token))
        {
            Take(set);
            if (Seen >= upTo)
            {
                break;
            }
        }
    }

    internal void Expect(StorageEnvironment source) => Dumps.Entries(_environment).Should().Be(Dumps.Entries(source));

    internal void Take(ChangeSet set)
    {
        set.TransactionId.Should().BeGreaterThan(Seen);
        using WriteTransaction transaction = _environment.BeginWrite();
        foreach (Change change in set)
        {
            Apply(transaction, change);
        }

        transaction.Commit(CommitMode.Lazy);
        Seen = set.TransactionId;
        Sets++;
    }

    public void Dispose() => _environment.Dispose();

    private static void Apply(WriteTransaction transaction, Change change)
    {
        Tree tree = default;
        if (change.Kind is ChangeKind.Put or ChangeKind.Delete or ChangeKind.DeleteRange)
        {
            transaction.TryOpenTree(change.Tree, out tree).Should().BeTrue("a tree is created before its entries");
        }

        switch (change.Kind)
        {
            case ChangeKind.Put when change.Value.IsSingleSegment:
                tree.Put(change.Key, change.Value.FirstSpan);
                break;
            case ChangeKind.Put:
                PipeWriter writer = tree.OpenValueWriter(change.Key);
                foreach (ReadOnlyMemory<byte> piece in change.Value)
                {
                    writer.Write(piece.Span);
                }

                writer.Complete();
                break;
            case ChangeKind.Delete:
                tree.Delete(change.Key).Should().BeTrue();
                break;
            case ChangeKind.DeleteRange:
                tree.DeleteRange(change.Key, change.Value.FirstSpan).Should().BePositive();
                break;
            case ChangeKind.CreateTree:
                transaction.TryOpenTree(change.Tree, out _).Should().BeFalse();
                transaction.OpenTree(change.Tree);
                break;
            case ChangeKind.DropTree:
                transaction.DropTree(change.Tree).Should().BeTrue();
                break;
            case ChangeKind.RenameTree:
                transaction.RenameTree(change.Tree, Encoding.UTF8.GetString(change.Value)).Should().BeTrue();
                break;
            default:
                throw new InvalidOperationException($"{change.Kind} is unknown.");
        }
    }
}
