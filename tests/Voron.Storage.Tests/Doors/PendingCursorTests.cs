using System.Buffers.Binary;
using FluentAssertions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Cursors in a tree of which entries are pending, in one layer and in several.</summary>
public sealed class PendingCursorTests : IDisposable
{
    private const int Entries = 30_000;
    private const int Step = 7_919;
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(60_000)]
    public void Opening_placing_and_moving_them_allocates_nothing(long layerBytes)
    {
        using StorageEnvironment environment = Filled(layerBytes);
        using ReadTransaction transaction = environment.BeginRead();
        ReadTree tree = transaction.OpenTree(Sample.Tree);
        int met = 0;
        long allocated = Allocations.Least(() => met = Walk(tree));
        met.Should().Be(100 * 10, "each walk meets ten rows in order");
        allocated.Should().Be(0);
    }

    [Fact]
    public void An_enumeration_that_has_ended_disturbs_no_later_one()
    {
        using StorageEnvironment environment = Filled(layerBytes: 0);
        using ReadTransaction transaction = environment.BeginRead();
        ReadTree tree = transaction.OpenTree(Sample.Tree);
        TreeEnumerator ended = tree.From(Sample.Key(5)).GetEnumerator();
        ended.MoveNext().Should().BeTrue();
        ended.Dispose();
        TreeEnumerator next = tree.From(Sample.Key(9)).GetEnumerator();
        next.MoveNext().Should().BeTrue();
        ended.MoveNext().Should().BeFalse();
        ended.Dispose();
        next.Current.Key.SequenceEqual(Sample.Key(9)).Should().BeTrue();
        next.MoveNext().Should().BeTrue();
        next.Current.Key.SequenceEqual(Sample.Key(10)).Should().BeTrue();
        next.Dispose();
    }

    private static int Walk(ReadTree tree)
    {
        int met = 0;
        Span<byte> expected = stackalloc byte[4];
        for (int i = 0; i < 100; i++)
        {
            int number = i * 97;
            foreach ((ReadOnlySpan<byte> key, _) in tree.From(KeyOf(number, expected)))
            {
                met += key.SequenceEqual(KeyOf(number++, expected)) ? 1 : 0;
                if (number == (i * 97) + 10)
                {
                    break;
                }
            }
        }

        return met;
    }

    private static Span<byte> KeyOf(int number, Span<byte> key)
    {
        BinaryPrimitives.WriteInt32BigEndian(key, number);
        return key;
    }

    /// <summary>Keys 0 … Entries − 1, put in random order until entries are pending.</summary>
    private StorageEnvironment Filled(long layerBytes)
    {
        StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, new StorageOptions
        {
            PageSize = 4096,
            Engine = new() { Background = false, PendingBytes = 400_000, PendingLayerBytes = layerBytes },
        });
        for (int first = 0; first < 2 * Entries; first += 100)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Tree tree = transaction.OpenTree(Sample.Tree);
            for (int i = first; i < first + 100; i++)
            {
                tree.Put(Sample.Key((int)((long)i * Step % Entries)), new byte[50]);
            }

            transaction.Commit(CommitMode.Lazy);
        }

        environment.GetReport().PendingBytes.Should().BePositive();
        return environment;
    }
}
