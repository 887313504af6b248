using System.Globalization;
using FluentAssertions;
using Voron.Storage.Format;
using Xunit;

namespace Voron.Storage.Tests.Trees;

/// <summary>Trees against a sorted dictionary; VORON_TREE_SEEDS says how many runs of each page size there are.</summary>
public class TreeModelTests
{
    private const int OperationsPerTransaction = 50;

    private static readonly int Seeds = Environment.GetEnvironmentVariable("VORON_TREE_SEEDS") is { Length: > 0 } given
        ? int.Parse(given, CultureInfo.InvariantCulture)
        : 5;

    [Theory]
    [InlineData(4096)]
    [InlineData(8192)]
    [InlineData(16384)]
    public void A_tree_behaves_like_a_sorted_dictionary(int pageBytes)
    {
        for (int seed = 1; seed <= Seeds; seed++)
        {
            Run(pageBytes, seed, 42_000);
        }
    }

    [Fact]
    public void The_largest_pages_work_too() => Run(65536, 7, 20_000);

    [Theory]
    [InlineData(4096)]
    [InlineData(8192)]
    public void A_tree_with_a_pending_tree_behaves_like_one_without(int pageBytes)
    {
        for (int seed = 1; seed <= Seeds; seed++)
        {
            Run(pageBytes, seed, 42_000, pending: true);
        }
    }

    private static void Run(int pageBytes, int seed, int operations, bool pending = false)
    {
        Random random = new(seed);
        using MemoryPages pages = new(pageBytes);
        TreeModel model = new(pages, random, pending);
        List<(TransactionId Snapshot, KeyValuePair<byte[], byte[]>[] Entries)> held = [];
        int growth = 70;
        int shapes = random.Next(1, 1 << KeyShapes.Count);
        for (int done = 0, round = 0; done < operations; done += OperationsPerTransaction, round++)
        {
            if (round % 60 == 0)
            {
                growth = model.Count > 1500 ? 30 : 45 + random.Next(45);
                shapes = random.Next(1, 1 << KeyShapes.Count);
            }

            model.Begin();
            for (int i = 0; i < OperationsPerTransaction; i++)
            {
                model.Change(growth, PickShape(random, shapes));
            }

            if (random.Next(250) == 0)
            {
                model.Drain();
            }

            if (pending && random.Next(3) == 0)
            {
                model.Merge();
            }

            if (round % 40 == 0)
            {
                model.Prove();
            }

            End(pages, model, random, held);
        }

        model.Begin();
        model.Prove();
        pages.Trees.DropTree(model.Root);
        pages.CountUsedPages().Should().Be(0, "a dropped tree leaves no page behind");
        pages.Writer.InMemory.Count.Should().Be(0);
        pages.Rollback();
        model.Compare(model.Freeze(), pages.LastCommitted);
    }

    private static void End(
        MemoryPages pages, TreeModel model, Random random, List<(TransactionId Snapshot, KeyValuePair<byte[], byte[]>[] Entries)> held)
    {
        if (random.Next(10) == 0)
        {
            model.Rollback();
            if (random.Next(10) == 0)
            {
                model.Compare(model.Freeze(), pages.LastCommitted);
            }

            return;
        }

        pages.Commit();
        if (random.Next(20) == 0)
        {
            held.Add((pages.Hold(), model.Freeze()));
        }

        if (held.Count > 5)
        {
            (TransactionId snapshot, KeyValuePair<byte[], byte[]>[] entries) = held[random.Next(held.Count)];
            model.Compare(entries, snapshot);
            held.RemoveAll(one => one.Snapshot == snapshot);
            pages.Release(snapshot);
        }
    }

    private static int PickShape(Random random, int shapes)
    {
        while (true)
        {
            int shape = random.Next(KeyShapes.Count);
            if ((shapes & (1 << shape)) != 0)
            {
                return shape;
            }
        }
    }
}
