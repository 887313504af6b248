#if !CHECKED
using FluentAssertions;
using Voron.Storage.IO;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Storage.Tests.Versions;

/// <summary>
/// Layers of pending trees and leaves that memory does not hold: they are asked for before they are read. The checked build has its blocks
/// elsewhere than in the files of layers.
/// </summary>
public sealed class ColdLayerTests : IDisposable
{
    private const int Entries = 12_000;
    private const int Step = 7_919;
    private static readonly string Spill = new DatabasePaths(Path.GetFullPath("/db")).Spill;
    private readonly WatchedDisk _disk = new();

    public void Dispose() => _disk.Dispose();

    [Theory]
    [InlineData(0, true)]
    [InlineData(long.MaxValue, false)]
    public void A_transaction_asks_for_what_its_puts_will_look_up_in_layers(long memoryBytes, bool asks)
    {
        using StorageEnvironment environment = Open(memoryBytes);
        Fill(environment, TreeOptions.None);
        int asked = 0;
        _disk.OnReadAhead = (path, _, _) => asked += path == Spill ? 1 : 0;
        for (int first = 0; first < 1_000; first += 100)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Put(transaction.OpenTree(Sample.Tree), first);
            Put(transaction.OpenTree(Sample.Tree), Math.Max(0, first - 300));
            transaction.Commit(CommitMode.Lazy);
        }

        (asked > 100).Should().Be(asks);
    }

    [Fact]
    public void A_merge_asks_for_the_leaves_and_layers_that_it_comes_to()
    {
        using StorageEnvironment environment = Open(memoryBytes: 0);
        Fill(environment, TreeOptions.WriteOptimized);
        int inLayers = 0;
        int leaves = 0;
        int read = 0;
        int ahead = 0;
        _disk.OnReadAhead = (path, _, _) => _ = path == Spill ? inLayers++ : leaves++;
        _disk.OnPopulate = (_, _) => ahead = Math.Max(ahead, leaves - ++read);
        for (int first = 0; first < Entries; first += 100)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Put(transaction.OpenTree(Sample.Tree), first);
            transaction.Commit(CommitMode.Lazy);
        }

        inLayers.Should().BeGreaterThan(100, "puts into such a tree look nothing up, so the merges asked");
        ahead.Should().BeGreaterThan(8, "each page is asked for when it is read, and leaves before that");
    }

    /// <summary>Puts all keys twice in random order, after which some are in leaves and others pending.</summary>
    private static void Fill(StorageEnvironment environment, TreeOptions options)
    {
        for (int first = 0; first < 2 * Entries; first += 100)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Put(transaction.OpenTree(Sample.Tree, options), first);
            transaction.Commit(CommitMode.Lazy);
        }

        environment.Checkpoint();
        environment.GetReport().PendingBytes.Should().BePositive();
    }

    private static void Put(Tree tree, int first)
    {
        for (int i = first; i < first + 100; i++)
        {
            tree.Put(Sample.Key((int)((long)i * Step % Entries)), new byte[50]);
        }
    }

    private StorageEnvironment Open(long memoryBytes) => StorageEnvironment.Open("/db", new StorageOptions
    {
        PageSize = 4096,
        Engine = new()
        {
            Disk = _disk, Background = false, MemoryBytes = memoryBytes, PendingBytes = 20_000, PendingLayerBytes = 1_000_000,
        },
    });
}
#endif
