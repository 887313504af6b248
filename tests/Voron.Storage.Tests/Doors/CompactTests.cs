using System.Buffers.Binary;
using FluentAssertions;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Databases whose file is shortened: nothing changes but its length.</summary>
public sealed class CompactTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(4096, false)]
    [InlineData(8192, true)]
    [InlineData(65536, false)]
    public async Task A_file_that_lost_most_entries_ends_at_what_is_in_use(int pageBytes, bool hasBackground)
    {
        StorageOptions options = new() { PageSize = pageBytes, Engine = new() { Background = hasBackground } };
        CompactReport report;
        using (StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, options))
        {
            CompactSample.Fill(environment, 60_000, 150);
            CompactSample.DeleteAllBut(environment, 60_000, oneIn: 10);
            long entries = 60_000 / 10;
            environment.Checkpoint();
            report = await environment.CompactAsync(CompactSample.Quick, cancellationToken: Stop);
            report.FileBytesBefore.Should().BeGreaterThan(60_000 * 150);
            report.MovedPages.Should().BePositive();
            report.MergedPages.Should().BePositive();
            report.UsedBytes.Should().BeLessThan(entries * 170 * 2, "leaves are at least half full");
            CompactSample.ExpectShort(report);
            environment.GetReport().DataFileBytes.Should().Be(report.FileBytesAfter);
            CompactSample.Expect(environment, 60_000, 10, 150);
        }

        using StorageEnvironment again = StorageEnvironment.Open(_folder.Path, options);
        CompactSample.Expect(again, 60_000, 10, 150);
        again.GetReport().DataFileBytes.Should().BeLessThanOrEqualTo(report.FileBytesBefore / 4);
    }

    [Fact]
    public async Task What_is_compact_stays_as_it_is()
    {
        using StorageEnvironment environment = CompactSample.Open(_folder);
        CompactSample.Fill(environment, 20_000, 100);
        await environment.CompactAsync(CompactSample.Quick, cancellationToken: Stop);
        long last = environment.GetReport().LastTransactionId;
        CompactReport report = await environment.CompactAsync(CompactSample.Quick, cancellationToken: Stop);
        report.MovedPages.Should().Be(0);
        report.MergedPages.Should().Be(0);
        environment.GetReport().LastTransactionId.Should().Be(last, "no transaction was needed");
        CompactSample.Expect(environment, 20_000, 1, 100);
    }

    [Fact]
    public async Task An_empty_database_can_be_compacted()
    {
        using StorageEnvironment environment = CompactSample.Open(_folder);
        CompactReport report = await environment.CompactAsync(cancellationToken: Stop);
        report.Should().Match<CompactReport>(static one => one.MovedPages == 0 && one.FileBytesAfter == one.FileBytesBefore);
    }

    [Fact]
    public async Task Values_of_all_lengths_are_moved_and_are_what_they_were()
    {
        int[] lengths = [10, 900, 1_500, 3_000, 9_000, 70_000, 200_000];
        Dictionary<int, byte[]> values = [];
        using (StorageEnvironment environment = CompactSample.Open(_folder))
        {
            for (int i = 0; i < 140; i++)
            {
                CompactSample.PutLong(environment, i, values[i] = Sample.Value(lengths[i % lengths.Length], i), isStream: i % 3 == 0);
            }

            using (WriteTransaction transaction = environment.BeginWrite())
            {
                // What lies at the beginning.
                for (int i = 0; i < 110; i++)
                {
                    transaction.OpenTree("values").Delete(Sample.Key(i));
                    values.Remove(i);
                }

                transaction.Commit();
            }

            CompactReport report = await environment.CompactAsync(CompactSample.Quick, cancellationToken: Stop);
            report.MovedPages.Should().BeGreaterThan(200_000 * 4 / CompactSample.PageBytes);
            report.FileBytesAfter.Should().BeLessThan(report.FileBytesBefore / 2);
            CompactSample.ExpectValues(environment, values);
            environment.Database.Abandon();
        }

        // Whatever was not in a checkpoint is replayed.
        using StorageEnvironment again = CompactSample.Open(_folder);
        CompactSample.ExpectValues(again, values);
        again.Checkpoint();
        CompactSample.ExpectValues(again, values);
    }

    [Fact]
    public async Task The_root_of_a_tree_that_lies_at_the_end_is_moved()
    {
        using (StorageEnvironment environment = CompactSample.Open(_folder))
        {
            CompactSample.Fill(environment, 20_000, 200);
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                transaction.OpenTree("late").Put("key"u8, "value"u8);
                transaction.OpenMultiTree("late multi").Add("key"u8, "value"u8);
                transaction.OpenTree("late and empty");
                transaction.DropTree(Sample.Tree);
                transaction.Commit();
            }

            CompactReport report = await environment.CompactAsync(CompactSample.Quick, cancellationToken: Stop);
            report.MovedPages.Should().BeGreaterThanOrEqualTo(3);
            CompactSample.ExpectShort(report);
            ExpectLate(environment);
            using WriteTransaction rename = environment.BeginWrite();
            rename.RenameTree("late", "renamed");
            rename.RenameTree("renamed", "late");
            rename.Commit();
            environment.Database.Abandon();
        }

        using StorageEnvironment again = CompactSample.Open(_folder);
        ExpectLate(again);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Multi_value_trees_keep_their_pairs(bool isFixed)
    {
        using StorageEnvironment environment = CompactSample.Open(_folder);
        SortedSet<(int Key, long Value)> pairs = [];
        Random random = new(3);
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            MultiTree tree = isFixed ? transaction.OpenMultiTree("pairs", valueBytes: 8) : transaction.OpenMultiTree("pairs");
            for (int i = 0; i < 150_000; i++)
            {
                (int key, long value) = (random.Next(3_000), random.NextInt64());
                pairs.Add((key, value));
                tree.Add(Sample.Key(key), CompactSample.Bytes(value));
            }

            foreach ((int key, long value) in pairs.Where(_ => random.Next(10) > 0).ToList())
            {
                pairs.Remove((key, value));
                tree.Delete(Sample.Key(key), CompactSample.Bytes(value)).Should().BeTrue();
            }

            transaction.Commit();
        }

        CompactReport report = await environment.CompactAsync(CompactSample.Quick, cancellationToken: Stop);
        CompactSample.ExpectShort(report);
        environment.Check().Findings.Should().BeEmpty();
        using ReadTransaction read = environment.BeginRead();
        List<(int, long)> found = [];
        foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in read.OpenMultiTree("pairs"))
        {
            found.Add((BinaryPrimitives.ReadInt32BigEndian(key), BinaryPrimitives.ReadInt64BigEndian(value)));
        }

        found.ToHashSet().Should().BeEquivalentTo(pairs);
    }

    [Fact]
    public async Task Trees_with_pending_entries_are_compacted_below_them()
    {
        StorageOptions options = new()
        {
            PageSize = CompactSample.PageBytes, Engine = new() { Background = false, PendingBytes = 200_000 },
        };
        using (StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, options))
        {
            CompactSample.Fill(environment, 20_000, 150);
            CompactSample.DeleteAllBut(environment, 20_000, oneIn: 10);
            environment.GetReport().PendingBytes.Should().BePositive();
            await environment.CompactAsync(CompactSample.Quick, cancellationToken: Stop);
            CompactSample.Expect(environment, 20_000, 10, 150);
            environment.Database.Abandon();
        }

        using StorageEnvironment again = StorageEnvironment.Open(_folder.Path, options);
        CompactSample.Expect(again, 20_000, 10, 150);
        await again.CompactAsync(CompactSample.Quick, cancellationToken: Stop);
        CompactSample.Expect(again, 20_000, 10, 150);
    }

    [Fact]
    public async Task Progress_grows_to_one_and_a_cancelled_compaction_has_done_less()
    {
        using StorageEnvironment environment = CompactSample.Open(_folder);
        CompactSample.Fill(environment, 20_000, 200);
        CompactSample.DeleteAllBut(environment, 20_000, oneIn: 10);
        using CancellationTokenSource cancelled = new();
        Parts parts = new(part =>
        {
            if (part > 0.1)
            {
                cancelled.Cancel();
            }
        });
        Func<Task> compact = async () => await environment.CompactAsync(CompactSample.Quick, parts, cancelled.Token);
        await compact.Should().ThrowAsync<OperationCanceledException>();
        CompactSample.Expect(environment, 20_000, 10, 200);
        parts = new Parts(static _ => { });
        CompactReport report = await environment.CompactAsync(CompactSample.Quick, parts, Stop);
        parts.Seen.Should().BeInAscendingOrder().And.OnlyContain(static part => part >= 0 && part <= 1);
        parts.Seen[^1].Should().Be(1);
        CompactSample.ExpectShort(report);
        CompactSample.Expect(environment, 20_000, 10, 200);
    }

    [Fact]
    public async Task Bad_settings_and_closed_doors_are_refused()
    {
        StorageEnvironment environment = CompactSample.Open(_folder);
        foreach (CompactOptions bad in (CompactOptions[])
            [new() { BytesPerTransaction = 0 }, new() { BytesPerSecond = -1 }, new() { LeaveFreeShare = double.NaN }])
        {
            Func<Task> asked = async () => await environment.CompactAsync(bad, cancellationToken: Stop);
            await asked.Should().ThrowAsync<ArgumentOutOfRangeException>();
        }

        CompactSample.Fill(environment, 5_000, 200);
        CompactSample.DeleteAllBut(environment, 5_000, oneIn: 10);
        Exception? second = null;
        Parts parts = new(_ =>
        {
            try
            {
                environment.CompactAsync(CompactSample.Quick, cancellationToken: Stop).AsTask().GetAwaiter().GetResult();
            }
            catch (InvalidOperationException error)
            {
                second = error;
            }
        });
        await environment.CompactAsync(CompactSample.Quick, parts, Stop);
        second.Should().BeOfType<InvalidOperationException>().Which.Message.Should().Contain("another call of CompactAsync");
        environment.Dispose();
        Func<Task> closed = async () => await environment.CompactAsync(CompactSample.Quick, cancellationToken: Stop);
        await closed.Should().ThrowAsync<ObjectDisposedException>();
        using StorageEnvironment reading = StorageEnvironment.Open(_folder.Path, new StorageOptions { ReadOnly = true });
        Func<Task> readOnly = async () => await reading.CompactAsync(CompactSample.Quick, cancellationToken: Stop);
        await readOnly.Should().ThrowAsync<StorageReadOnlyException>();
    }

    /// <summary>Small trees of all shapes beside each other, compacted again and again.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public async Task A_model_has_the_same_content(int seed)
    {
        Random random = new(seed);
        SortedDictionary<int, byte[]>[] model = [new(), new(), new()];
        StorageEnvironment environment = CompactSample.Open(_folder);
        for (int round = 0; round < 12; round++)
        {
            for (int transactions = 0; transactions < 6; transactions++)
            {
                Change(environment, random, model);
            }

            CompactOptions options = new()
            {
                BytesPerSecond = 0,
                BytesPerTransaction = random.Next(1, 40) * CompactSample.PageBytes,
                LeaveFreeShare = random.Next(3) * 0.05,
            };
            await environment.CompactAsync(options, cancellationToken: Stop);
            Expect(environment, model);
            if (round % 4 == 3)
            {
                environment.Database.Abandon();
                environment = CompactSample.Open(_folder);
                Expect(environment, model);
            }
        }

        environment.Dispose();
    }

    private static void Change(StorageEnvironment environment, Random random, SortedDictionary<int, byte[]>[] model)
    {
        int number = random.Next(model.Length);
        int least = random.Next(600);
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree($"tree {number}");
        switch (random.Next(4))
        {
            case 0:
                int most = random.Next(least, 600);
                tree.DeleteRange(Sample.Key(least), Sample.Key(most));
                foreach (int key in model[number].Keys.Where(key => key >= least && key < most).ToList())
                {
                    model[number].Remove(key);
                }

                break;
            case 1 when random.Next(5) == 0:
                transaction.DropTree($"tree {number}");
                model[number].Clear();
                break;
            default:
                for (int i = 0; i < 60; i++)
                {
                    int key = random.Next(600);
                    byte[] value = Sample.Value(random.Next(20) switch { 0 => 40_000, < 3 => 5_000, _ => random.Next(1, 1_500) }, key + i);
                    tree.Put(Sample.Key(key), value);
                    model[number][key] = value;
                }

                break;
        }

        transaction.Commit();
    }

    private static void Expect(StorageEnvironment environment, SortedDictionary<int, byte[]>[] model)
    {
        environment.Check().Findings.Should().BeEmpty();
        using ReadTransaction read = environment.BeginRead();
        for (int number = 0; number < model.Length; number++)
        {
            bool exists = read.TryOpenTree($"tree {number}", out ReadTree tree);
            (exists ? tree.Count : 0).Should().Be(model[number].Count);
            foreach ((int key, byte[] value) in model[number])
            {
                tree.Get(Sample.Key(key)).Should().Equal(value);
            }
        }
    }

    private static void ExpectLate(StorageEnvironment environment)
    {
        using (ReadTransaction read = environment.BeginRead())
        {
            read.OpenTree("late").Get("key"u8).Should().Equal("value"u8.ToArray());
            read.OpenMultiTree("late multi").Contains("key"u8, "value"u8).Should().BeTrue();
            read.OpenTree("late and empty").Count.Should().Be(0);
        }

        environment.Check().Findings.Should().BeEmpty();
    }

    private sealed class Parts(Action<double> also) : IProgress<double>
    {
        internal List<double> Seen { get; } = [];

        public void Report(double value)
        {
            Seen.Add(value);
            also(value);
        }
    }
}
