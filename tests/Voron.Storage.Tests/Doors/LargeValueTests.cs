using FluentAssertions;
using Voron.Storage.Commits;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// Values from 64 KiB on go straight to their place in the data file: written once, and through neither journal nor memory. Only those of
/// short transactions go through the journal.
/// </summary>
public sealed class LargeValueTests : IDisposable
{
    private const int Least = 64 << 10;

    private static readonly int[] Lengths =
        [Least - 1, Least, Least + 1, (128 << 10) - 32, (128 << 10) - 31, 300_001, 1 << 20, (3 << 20) + 7];

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(4096, 0)]
    [InlineData(8192, 0)]
    [InlineData(65536, 0)]
    [InlineData(4096, 200_000)]
    [InlineData(8192, 4 << 20)]
    public void Every_length_comes_back_before_and_after_a_replay_and_a_checkpoint(int pageBytes, int journalledBytes)
    {
        string killed = _folder.Path + "-killed";
        using (StorageEnvironment environment = Open(pageBytes, journalledBytes))
        {
            PutAll(environment);
            Expect(environment);
            TemporaryFolder.Copy(_folder.Path, killed);
            environment.Checkpoint();
            Expect(environment);
        }

        using (StorageEnvironment closed = Open(pageBytes))
        {
            Expect(closed);
        }

        using (StorageEnvironment readOnly = StorageEnvironment.Open(killed, new StorageOptions { ReadOnly = true }))
        {
            Expect(readOnly);
        }

        using (StorageEnvironment replayed = StorageEnvironment.Open(killed))
        {
            Expect(replayed);
            replayed.Checkpoint();
            Expect(replayed);
        }

        Directory.Delete(killed, recursive: true);
    }

    [Fact]
    public void A_transaction_of_nothing_but_one_reserved_value_is_committed()
    {
        using TemporaryFolder folder = new();
        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path))
        {
            using WriteTransaction transaction = environment.BeginWrite();
            transaction.OpenTree("t");
            transaction.Commit();
            using WriteTransaction alone = environment.BeginWrite();
            Sample.Value(Least, 1).CopyTo(alone.OpenTree("t").Reserve(Sample.Key(1), Least));
            alone.Commit();
        }

        using StorageEnvironment again = StorageEnvironment.Open(folder.Path);
        using ReadTransaction read = again.BeginRead();
        read.OpenTree("t").Get(Sample.Key(1)).Should().Equal(Sample.Value(Least, 1));
    }

    /// <summary>VORON_HUGE_VALUES=1 makes it the longest value there is, which takes 4 GiB of disk and of memory.</summary>
    [Fact]
    public void A_huge_value_is_stored_and_read_in_every_way()
    {
        using StorageEnvironment environment = Open(8192);
        bool isLongest = Environment.GetEnvironmentVariable("VORON_HUGE_VALUES") == "1";
        int length = isLongest ? (int)environment.Limits.MaxValueBytes : 64 << 20;
        using (AlignedBuffer value = AlignedBuffer.Allocate(length))
        {
            value.Span[0] = 1;
            value.Span[^1] = 2;
            using WriteTransaction transaction = environment.BeginWrite();
            transaction.OpenTree("t").Put(new byte[environment.Limits.MaxKeyBytes], value.Span);
            transaction.Commit();
        }

        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Span<byte> value = transaction.OpenTree("t").Reserve("r"u8, length);
            value[0] = 3;
            value[^1] = 4;
            transaction.Commit();
        }

        using ReadTransaction read = environment.BeginRead();
        byte[] put = read.OpenTree("t").Get(new byte[environment.Limits.MaxKeyBytes])!;
        (put.Length, put[0], put[^1]).Should().Be((length, 1, 2));
        read.OpenTree("t").TryGet("r"u8, out ReadOnlySpan<byte> reserved).Should().BeTrue();
        (reserved.Length, reserved[0], reserved[^1]).Should().Be((length, 3, 4));
    }

    [Fact]
    public void A_large_value_goes_neither_through_the_journal_nor_through_memory()
    {
        using StorageEnvironment environment = Open(8192);
        Sample.Put(environment, 0, 10);
        EnvironmentReport before = environment.GetReport();
        Sample.Put(environment, 10, 12, valueBytes: 8 << 20);
        EnvironmentReport after = environment.GetReport();
        (after.JournalBytesWritten - before.JournalBytesWritten).Should().BeLessThan(32 << 10);
        (after.DirtyBytes - before.DirtyBytes).Should().BeLessThan(1 << 20);
        environment.Check().Findings.Should().BeEmpty();
    }

    /// <summary>A large value is in the data file before a checkpoint knows of it; a rolled back one is free at once.</summary>
    [Fact]
    public void A_large_value_is_not_counted_as_free()
    {
        const int Bytes = 8 << 20;
        static long Used(EnvironmentReport report) => report.DataFileBytes - report.FreeBytes;
        using StorageEnvironment environment = Open(8192);
        environment.Checkpoint();
        long before = Used(environment.GetReport());
        Sample.Put(environment, 0, 1, valueBytes: Bytes);
        Used(environment.GetReport()).Should().BeCloseTo(before + Bytes, 1 << 20);
        environment.Checkpoint();
        Used(environment.GetReport()).Should().BeCloseTo(before + Bytes, 1 << 20);
        using (WriteTransaction undone = environment.BeginWrite())
        {
            undone.OpenTree("t").Put("undone"u8, new byte[Bytes]);
        }

        Used(environment.GetReport()).Should().BeCloseTo(before + Bytes, 1 << 20);
    }

    [Fact]
    public void Every_way_to_put_takes_a_large_value()
    {
        using StorageEnvironment environment = Open(4096);
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Tree tree = transaction.OpenTree(Sample.Tree);
            tree.Put(Sample.Key(1), Sample.Value(Least, 1));
            tree.TryAdd(Sample.Key(1), Sample.Value(Least, 9)).Should().BeFalse();
            tree.TryAdd(Sample.Key(2), Sample.Value(Least, 2)).Should().BeTrue();
            tree.Append(Sample.Key(3), Sample.Value(Least, 3));
            ((Action)(() => tree.Append(Sample.Key(2), Sample.Value(Least, 9)))).Should().Throw<ArgumentException>();
            Sample.Value(Least, 4).CopyTo(tree.Reserve(Sample.Key(4), Least));
            tree.Reserve(Sample.Key(0), Least).Fill(9);
            tree.Put(Sample.Key(0), Sample.Value(20, 0));
            tree.Get(Sample.Key(0)).Should().Equal(Sample.Value(20, 0), "a put after a reservation replaces it");
            tree.Put(Sample.Key(0), tree.Get(Sample.Key(4)));
            tree.TryGet(Sample.Key(3), out ReadOnlySpan<byte> own).Should().BeTrue();
            tree.Put(Sample.Key(0), own);
            using (WriteCursor cursor = tree.OpenCursor())
            {
                cursor.Seek(Sample.Key(0)).Should().BeTrue();
                cursor.SetValue(Sample.Value(Least, 0));
            }

            transaction.Commit();
        }

        Sample.Expect(environment, 5, Least);
    }

    [Fact]
    public void A_rollback_leaves_the_place_free_and_the_file_no_longer()
    {
        using StorageEnvironment environment = Open(4096);
        Sample.Put(environment, 0, 3, Least);
        environment.Checkpoint();
        Roll(environment);
        long bytes = environment.GetReport().DataFileBytes;
        for (int i = 0; i < 20; i++)
        {
            Roll(environment);
        }

        environment.GetReport().DataFileBytes.Should().Be(bytes);
        Sample.Expect(environment, 3, Least);

        static void Roll(StorageEnvironment environment)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Tree tree = transaction.OpenTree(Sample.Tree);
            tree.Put(Sample.Key(1), Sample.Value(1 << 20, 77));
            tree.Delete(Sample.Key(1));
            tree.Put(Sample.Key(2), Sample.Value(1 << 20, 78));
        }
    }

    [Fact]
    public void Places_are_used_again_when_nobody_can_reach_them_any_more()
    {
        using StorageEnvironment environment = Open(4096);
        for (int i = 0; i < 40; i++)
        {
            Sample.Put(environment, 0, 4, valueBytes: Least + i);
            if (i % 3 == 0)
            {
                environment.Checkpoint();
            }
        }

        Sample.Expect(environment, 4, Least + 39);
        environment.GetReport().DataFileBytes.Should().BeLessThan(40 * 2 * Least);
    }

    [Fact]
    public void A_reader_keeps_its_large_values_whatever_is_written_meanwhile()
    {
        using StorageEnvironment environment = Open(4096);
        for (int round = 0; round < 6; round++)
        {
            Sample.Put(environment, 0, 4, valueBytes: Least + round);
            if (round % 2 == 0)
            {
                environment.Checkpoint();
            }

            using ReadTransaction reader = environment.BeginRead();
            for (int later = 1; later < 5; later++)
            {
                Sample.Put(environment, 0, 4, valueBytes: Least + 100 + later);
                environment.Checkpoint();
            }

            reader.TryOpenTree(Sample.Tree, out ReadTree tree).Should().BeTrue();
            for (int i = 0; i < 4; i++)
            {
                tree.Get(Sample.Key(i)).Should().Equal(Sample.Value(Least + round, i));
            }
        }

        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void A_value_that_the_journal_names_and_the_file_has_lost_is_reported_and_salvage_says_so()
    {
        string killed = _folder.Path + "-killed";
        string copied = _folder.Path + "-copied";
        byte[] value = Sample.Value(Least, 3);
        using (StorageEnvironment environment = Open(4096))
        {
            Sample.Put(environment, 0, 3);
            environment.Checkpoint();
            Sample.Put(environment, 3, 5, Least);
            TemporaryFolder.Copy(_folder.Path, killed);
        }

        string data = Path.Combine(killed, "data.voron");
        byte[] file = File.ReadAllBytes(data);
        int at = file.AsSpan().IndexOf(value.AsSpan(0, 64));
        at.Should().BePositive();
        file.AsSpan(at - 32, 4096).Clear();
        File.WriteAllBytes(data, file);
        StorageCorruptException error = ((Action)(() => StorageEnvironment.Open(killed).Dispose()))
            .Should().Throw<StorageCorruptException>().Which;
        error.PageNumber.Should().Be((at - 32) / 4096);
        SalvageReport report = StorageSalvage.Copy(killed, copied);
        report.Losses.Should().ContainSingle().Which.Message.Should().Contain("00000003");
        report.Entries.Should().Be(4);
        using (StorageEnvironment salvaged = StorageEnvironment.Open(copied))
        {
            using ReadTransaction reader = salvaged.BeginRead();
            reader.OpenTree(Sample.Tree).Get(Sample.Key(4)).Should().Equal(Sample.Value(Least, 4));
            salvaged.Check().Findings.Should().BeEmpty();
        }

        Directory.Delete(killed, recursive: true);
        Directory.Delete(copied, recursive: true);
    }

    [Fact]
    public void The_tail_is_not_cut_below_a_value_that_the_checkpoint_does_not_have_yet()
    {
        using StorageEnvironment environment = Open(4096);
        Sample.Put(environment, 0, 1, 2 << 20);
        environment.Checkpoint();
        using (WriteTransaction deletion = environment.BeginWrite())
        {
            deletion.OpenTree(Sample.Tree).Delete(Sample.Key(0));
            deletion.Commit();
        }

        // Behind the old value, whose place the snapshot on disk still has; sealed, and not there for the checkpoint.
        using WriteTransaction placing = environment.BeginWrite();
        placing.OpenTree(Sample.Tree).Put(Sample.Key(0), Sample.Value(Least, 0));
        CommitGroupId ticket = placing.Seal(CommitMode.Durable);
        environment.Checkpoint();
        environment.Database.Complete(ticket, CommitMode.Durable);
        environment.GetReport().DataFileBytes.Should().BeGreaterThan(2 << 20);
        Sample.Expect(environment, 1, Least);
        environment.Checkpoint();
        Sample.Put(environment, 0, 2);
        environment.Checkpoint();
        environment.Checkpoint();
        environment.GetReport().DataFileBytes.Should().BeLessThan(1 << 20);
        Sample.Expect(environment, 2);
    }

    /// <summary>Nobody asks for a place here, and yet no more is remembered than a power cut can bring back.</summary>
    [Fact]
    public void Freed_runs_are_remembered_until_their_transaction_is_durable_and_no_longer()
    {
        const int Runs = 10;
        using StorageEnvironment environment = Open(4096);
        Sample.Put(environment, 0, Runs, valueBytes: 9000);
        environment.Checkpoint();
        for (int round = 0; round < 3; round++)
        {
            using (WriteTransaction deletion = environment.BeginWrite())
            {
                deletion.OpenTree(Sample.Tree).DeleteRange(Sample.Key(0), Sample.Key(Runs)).Should().Be(Runs);
                deletion.Commit(CommitMode.Buffered);
            }

            Sample.Put(environment, Runs, Runs + 1, mode: CommitMode.Buffered);
            environment.Database.Parts.Placed.RunsInDoubt.Should().Be(Runs, "a power cut brings the values back");
            Sample.Put(environment, Runs, Runs + 1);
            Sample.Put(environment, Runs, Runs + 1);
            environment.Database.Parts.Placed.RunsInDoubt.Should().Be(0, "nothing brings them back");
            Sample.Put(environment, 0, Runs, valueBytes: 9000);
            environment.Checkpoint();
        }
    }

    private static void PutAll(StorageEnvironment environment)
    {
        for (int i = 0; i < Lengths.Length; i++)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Tree tree = transaction.OpenTree(Sample.Tree);
            tree.Put(Sample.Key(1000 + i), Sample.Value(Lengths[^1], 77));
            tree.Put(Sample.Key(i), Sample.Value(Lengths[i], i));
            tree.Put(Sample.Key(500 + i), Sample.Value(9000, i));
            tree.Delete(Sample.Key(1000 + i - 1));
            transaction.Commit();
        }
    }

    private static void Expect(StorageEnvironment environment)
    {
        using (ReadTransaction reader = environment.BeginRead())
        {
            ReadTree tree = reader.OpenTree(Sample.Tree);
            tree.Count.Should().Be((2 * Lengths.Length) + 1);
            for (int i = 0; i < Lengths.Length; i++)
            {
                tree.Get(Sample.Key(i)).AsSpan().SequenceEqual(Sample.Value(Lengths[i], i)).Should().BeTrue();
                tree.Get(Sample.Key(500 + i)).AsSpan().SequenceEqual(Sample.Value(9000, i)).Should().BeTrue();
            }
        }

        environment.Check().Findings.Should().BeEmpty();
    }

    /// <summary>Every value is placed, unless the test asks for short transactions, whose values the journal takes.</summary>
    private StorageEnvironment Open(int pageBytes, int journalledBytes = 0) => StorageEnvironment.Open(_folder.Path, new StorageOptions
    {
        Engine = new() { Background = false, JournalledBytes = journalledBytes }, PageSize = pageBytes,
    });
}
