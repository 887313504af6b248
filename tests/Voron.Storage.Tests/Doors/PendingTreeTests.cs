using System.Buffers.Binary;
using FluentAssertions;
using Voron.Storage.IO;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Trees that outgrow the memory for page versions collect entries and merge them, without being asked.</summary>
public sealed class PendingTreeTests
{
    private const int Items = 150_000;
    private const int PutsPerCommit = 100;
    private const long MaxDirtyBytes = 8 << 20;

    /// <summary>Some put changes a leaf of its own before; then the leaves get many entries each.</summary>
    /// <param name="layerBytes">What may be in files as well; null for as much as the budget allows.</param>
    /// <param name="mostBytes">Most bytes of pending trees at any time.</param>
    [Theory]
    [InlineData(0L, MaxDirtyBytes)]
    [InlineData(4L << 20, MaxDirtyBytes + (5L << 20))]
    [InlineData(null, MaxDirtyBytes * 4)]
    public void A_tree_larger_than_the_budget_collects_entries(long? layerBytes, long mostBytes)
    {
        using TemporaryFolder folder = new();
        long pending = 0;
        long spilled = 0;
        using (StorageEnvironment environment = Open(folder, layerBytes: layerBytes))
        {
            foreach (int item in Fill(environment))
            {
                EnvironmentReport now = environment.GetReport();
                pending = Math.Max(pending, now.PendingBytes);
                spilled = Math.Max(spilled, now.SpillBytes);
                now.DirtyBytes.Should().BeLessThan(MaxDirtyBytes + (1 << 20), "layers in files are not in memory");
            }

            pending.Should().BeInRange(MaxDirtyBytes / 8, mostBytes);
            (spilled > 0).Should().Be(layerBytes != 0);
            (environment.GetReport().MergedEntries > 0).Should().Be(layerBytes is not null, "the budget allows layers for all of it");
            Require(environment);
        }

        using StorageEnvironment again = Open(folder);
        EnvironmentReport report = again.GetReport();
        report.PendingBytes.Should().Be(0, "a close merges everything");
        report.JournalBytes.Should().BeLessThan(1 << 20);
        Require(again);
        TreeSpace tree = StorageSpace.Read(again).Trees.Single(static tree => tree.Entries == Items);
        tree.Levels[^1].Fill.Should().BeGreaterThan(0.85, "a merge fills the leaves that it writes");
    }

    /// <summary>What a close would take long to merge stays pending, in the journal: the next open has it in memory.</summary>
    [Fact]
    public void A_close_leaves_much_to_the_journal()
    {
        using TemporaryFolder folder = new();
        long pending = 0;
        for (int opens = 0; opens < 3; opens++)
        {
            // Only the first one has the thread that would merge while nothing is committed.
            using StorageEnvironment environment = Open(folder, closingMergeBytes: 1 << 20, background: opens == 0);
            environment.GetReport().PendingBytes.Should().BeGreaterThanOrEqualTo(pending);
            if (opens == 0)
            {
                foreach (int item in Fill(environment))
                {
                    pending = environment.GetReport().PendingBytes;
                }

                pending.Should().BeGreaterThan(1 << 20);
                pending /= 2;
            }

            Require(environment);
        }

        using (StorageEnvironment reader = StorageEnvironment.Open(folder.Path, new StorageOptions { ReadOnly = true }))
        {
            Require(reader);
        }

        using (StorageEnvironment environment = Open(folder))
        {
            Require(environment);
        }

        using StorageEnvironment merged = Open(folder);
        merged.GetReport().PendingBytes.Should().Be(0);
        Require(merged);
    }

    /// <summary>A close that has merged for as long as it may leaves the rest to the journal.</summary>
    [Fact]
    public void A_close_merges_as_long_as_it_may()
    {
        using TemporaryFolder folder = new();
        long pending = 0;
        using (StorageEnvironment environment = Open(folder, closingMergeTime: TimeSpan.Zero))
        {
            foreach (int item in Fill(environment))
            {
                pending = environment.GetReport().PendingBytes;
            }
        }

        using StorageEnvironment again = Open(folder, background: false);
        again.GetReport().PendingBytes.Should().BeInRange(1, pending - 1);
        Require(again);
    }

    /// <summary>Once nothing is committed any more, everything is merged, and the memory is free.</summary>
    [Fact]
    public void An_idle_database_merges_everything()
    {
        using TemporaryFolder folder = new();
        using StorageEnvironment environment = Open(folder);
        foreach (int item in Fill(environment))
        {
            _ = item;
        }

        SpinWait.SpinUntil(() => environment.GetReport().PendingBytes == 0, TimeSpan.FromMinutes(1)).Should().BeTrue();
        Require(environment);
    }

    /// <summary>What a close has left pending is merged by an open that commits nothing: otherwise each open would replay it.</summary>
    [Fact]
    public void A_database_that_is_only_read_merges_what_was_left()
    {
        using TemporaryFolder folder = new();
        using (StorageEnvironment environment = Open(folder, closingMergeBytes: 1 << 20))
        {
            foreach (int item in Fill(environment))
            {
                _ = item;
            }
        }

        using StorageEnvironment again = Open(folder, closingMergeBytes: 1 << 20);
        again.GetReport().PendingBytes.Should().BePositive();
        SpinWait.SpinUntil(() => again.GetReport().PendingBytes == 0, TimeSpan.FromMinutes(1)).Should().BeTrue();
        Require(again);
    }

    /// <summary>While a checkpoint writes what fills the memory, nothing is merged that would add to it; later commits do that.</summary>
    [Fact]
    public void Nothing_is_merged_while_the_memory_is_full()
    {
        const long SoftBytes = MaxDirtyBytes * 29 / 32;
        using TemporaryFolder folder = new();
        using ManualResetEventSlim goesOn = new();
        using WatchedDisk disk = new(new NativeDisk());
        using StorageEnvironment environment = Open(folder, layerBytes: 0, disk: disk);
        long merged = 0;
        long mergedWhenFull = 0;
        int commitsWhenFull = 0;
        bool isHardLimit = false;
        disk.OnCall = (call, path) =>
        {
            if (call == "sync" && path.EndsWith("data.voron", StringComparison.Ordinal) && Volatile.Read(ref merged) > 0
                && !goesOn.Wait(TimeSpan.FromSeconds(30)))
            {
                isHardLimit = true;
                goesOn.Set();
            }

            return IoError.Success;
        };
        foreach (int item in Fill(environment))
        {
            EnvironmentReport now = environment.GetReport();
            Volatile.Write(ref merged, now.MergedEntries);
            commitsWhenFull = merged > 0 && now.DirtyBytes >= SoftBytes ? commitsWhenFull + 1 : 0;
            if (commitsWhenFull == 3 && !goesOn.IsSet)
            {
                mergedWhenFull = merged;
            }
            else if (commitsWhenFull == 8 && !goesOn.IsSet)
            {
                merged.Should().Be(mergedWhenFull);
                goesOn.Set();
            }
        }

        goesOn.IsSet.Should().BeTrue("the memory was full");
        isHardLimit.Should().BeFalse("no writer has to wait for the checkpoint");
        merged.Should().BeGreaterThan(mergedWhenFull);
        Require(environment);
    }

    /// <summary>A tree that is written in key order has leaves that are written once: there is nothing to collect.</summary>
    [Fact]
    public void A_tree_that_grows_at_its_end_collects_nothing()
    {
        using TemporaryFolder folder = new();
        using StorageEnvironment environment = Open(folder);
        for (int first = 0; first < Items; first += PutsPerCommit)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Tree tree = transaction.OpenTree("items");
            for (int item = first; item < first + PutsPerCommit; item++)
            {
                tree.Put(BitConverter.GetBytes(BinaryPrimitives.ReverseEndianness(item)), new byte[100]);
            }

            transaction.Commit();
        }

        environment.GetReport().MergedEntries.Should().Be(0);
        environment.GetReport().PendingBytes.Should().Be(0);
    }

    private static StorageEnvironment Open(
        TemporaryFolder folder, long closingMergeBytes = 64 << 20, bool background = true, long? layerBytes = null,
        TimeSpan? closingMergeTime = null, IDisk? disk = null) =>
        StorageEnvironment.Open(
            folder.Path,
            new StorageOptions
            {
                MaxDirtyBytes = MaxDirtyBytes,
                Engine = new EngineSettings
                {
                    ClosingMergeBytes = closingMergeBytes, Background = background, PendingLayerBytes = layerBytes,
                    ClosingMergeTime = closingMergeTime ?? TimeSpan.MaxValue, Disk = disk,
                },
            });

    private static IEnumerable<int> Fill(StorageEnvironment environment)
    {
        for (int first = 0; first < Items; first += PutsPerCommit)
        {
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                Tree tree = transaction.OpenTree("items");
                for (int item = first; item < first + PutsPerCommit; item++)
                {
                    tree.Put(Key(item), BitConverter.GetBytes(item).AsSpan().ToArray().Concat(new byte[96]).ToArray());
                }

                transaction.Commit();
            }

            yield return first;
        }
    }

    private static void Require(StorageEnvironment environment)
    {
        environment.Check().Findings.Should().BeEmpty();
        using ReadTransaction read = environment.BeginRead();
        ReadTree tree = read.OpenTree("items");
        tree.Count.Should().Be(Items);
        for (int item = 0; item < Items; item += 7)
        {
            bool isRight = tree.TryGet(Key(item), out ReadOnlySpan<byte> value) && BitConverter.ToInt32(value) == item;
            isRight.Should().BeTrue("of item {0}", item);
        }
    }

    /// <summary>In random order, each item once.</summary>
    private static byte[] Key(int item)
    {
        byte[] key = new byte[16];
        BinaryPrimitives.WriteUInt64BigEndian(key, (ulong)item * 0x9E3779B97F4A7C15);
        return key;
    }
}
