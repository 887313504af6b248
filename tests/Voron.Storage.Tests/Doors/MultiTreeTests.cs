using System.Buffers.Binary;
using System.Globalization;
using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Tests.History;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Multi-value trees; VORON_SEED repeats a run against the model, VORON_OPERATIONS lengthens it.</summary>
public class MultiTreeTests(ITestOutputHelper output)
{
    private const long Operations = 6_000;

    [Theory]
    [InlineData(4096, 8)]
    [InlineData(4096, -1)]
    [InlineData(8192, 8)]
    [InlineData(8192, -1)]
    [InlineData(8192, 0)]
    [InlineData(8192, 256)]
    [InlineData(16384, -1)]
    [InlineData(32768, 4)]
    [InlineData(65536, -1)]
    public void Every_operation_does_what_a_dictionary_of_sets_does(int pageBytes, int valueBytes)
    {
        int seed = (int)Number("VORON_SEED", Random.Shared.Next());
        long operations = Number("VORON_OPERATIONS", Operations);
        string command = $"VORON_SEED={seed} VORON_OPERATIONS={operations} dotnet test -c Release tests/Voron.Storage.Tests "
            + "--filter FullyQualifiedName~MultiTreeTests";
        output.WriteLine($"pages of {pageBytes} bytes, values of {valueBytes}; to repeat: {command}");
        using MultiRun run = new(seed, pageBytes, valueBytes < 0 ? null : valueBytes);
        try
        {
            run.Run(operations);
        }
        catch (Exception error)
        {
            throw new InvalidOperationException($"After {run.Operations} operations. To repeat: {command}. {error.Message}", error);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void Large_sets_of_short_values_take_little_room(int order)
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = environment.BeginWrite();
        MultiTree tree = transaction.OpenMultiTree("t", valueBytes: 8);
        int[] numbers = [.. Enumerable.Range(0, 50_000)];
        switch (order)
        {
            case 1:
                Array.Reverse(numbers);
                break;
            case 2:
                new Random(5).Shuffle(numbers);
                break;
        }

        Span<byte> value = stackalloc byte[8];
        foreach (int number in numbers)
        {
            BinaryPrimitives.WriteInt64BigEndian(value, number);
            tree.Add("key"u8, value).Should().BeTrue();
        }

        tree.Count.Should().Be(50_000);
        tree.Count("key"u8).Should().Be(50_000);
        tree.GetReport().Entries.Should().Be(50_000);
        double bytes = tree.GetReport().AllocatedBytes / 50_000.0;
        output.WriteLine($"{bytes:0.00} bytes a pair");
        bytes.Should().BeLessThan(16);
        int next = 0;
        foreach (ReadOnlySpan<byte> one in tree.Values("key"u8))
        {
            BinaryPrimitives.ReadInt64BigEndian(one).Should().Be(next++);
        }

        transaction.Commit();
    }

    [Fact]
    public void A_pair_is_there_once_and_the_last_value_takes_the_key_with_it()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = environment.BeginWrite();
        MultiTree tree = transaction.OpenMultiTree("tags");
        tree.Add("red"u8, "1"u8).Should().BeTrue();
        tree.Add("red"u8, "1"u8).Should().BeFalse();
        tree.Add("red"u8, ""u8).Should().BeTrue();
        tree.Count.Should().Be(2);
        tree.Delete("red"u8, "2"u8).Should().BeFalse();
        tree.Delete("red"u8, ""u8).Should().BeTrue();
        tree.Delete("red"u8, "1"u8).Should().BeTrue();
        tree.Count.Should().Be(0);
        foreach (ReadOnlySpan<byte> key in tree.Keys)
        {
            throw new InvalidOperationException($"a key of {key.Length} bytes");
        }
    }

    [Fact]
    public void A_cursor_stays_on_its_pair_or_between_its_neighbours_while_pairs_are_deleted()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = environment.BeginWrite();
        MultiTree tree = transaction.OpenMultiTree("t", valueBytes: 1);
        for (byte value = 0; value < 200; value++)
        {
            tree.Add("k"u8, [value]);
        }

        using MultiCursor cursor = tree.OpenCursor();
        int count = 0;
        while (cursor.MoveNext())
        {
            cursor.Value[0].Should().Be((byte)count++);
            tree.Delete(cursor.Key, cursor.Value).Should().BeTrue();
            cursor.HasRow.Should().BeFalse();
        }

        count.Should().Be(200);
        tree.Count.Should().Be(0);
    }

    [Fact]
    public void Cursors_are_defined_for_keys_with_one_value()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = environment.BeginWrite();
        MultiTree tree = transaction.OpenMultiTree("t");
        tree.Add("a"u8, "1"u8);
        tree.Add("b"u8, "2"u8);
        using MultiCursor cursor = tree.OpenCursor();
        cursor.Seek("a"u8).Should().BeTrue();
        cursor.MoveNextValue().Should().BeFalse();
        cursor.MovePreviousValue().Should().BeFalse();
        cursor.MoveFirstValue().Should().BeTrue();
        cursor.MoveLastValue().Should().BeTrue();
        cursor.Value.SequenceEqual("1"u8).Should().BeTrue();
        cursor.MoveNextKey().Should().BeTrue();
        cursor.MoveNextKey().Should().BeFalse();
        cursor.MovePrevious().Should().BeTrue();
        cursor.Key.SequenceEqual("b"u8).Should().BeTrue();
        cursor.SeekPair("a"u8, "2"u8).Should().BeFalse();
        cursor.HasRow.Should().BeFalse();
        cursor.MovePreviousValue().Should().BeTrue();
        cursor.Seek("a"u8, "0"u8).Should().BeTrue();
        cursor.Seek("a"u8, "9"u8).Should().BeFalse();
        cursor.MoveNext().Should().BeTrue();
        cursor.Key.SequenceEqual("b"u8).Should().BeTrue();
    }

    [Fact]
    public void Wrong_arguments_change_nothing()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = environment.BeginWrite();
        MultiTree tree = transaction.OpenMultiTree("t", valueBytes: 2);
        tree.Invoking(static t => t.Add("k"u8, "abc"u8)).Should().Throw<ArgumentException>();
        tree.Invoking(static t => t.Add(new byte[1023], "ab"u8)).Should().Throw<KeyTooLongException>()
            .Which.Message.Should().Contain("1023 bytes").And.Contain("2 bytes");
        transaction.Invoking(static t => t.OpenMultiTree("u", valueBytes: 257)).Should().Throw<ArgumentOutOfRangeException>();
        tree.Append("k"u8, "ab"u8);
        tree.Invoking(static t => t.Append("k"u8, "ab"u8)).Should().Throw<ArgumentException>();
        tree.Count.Should().Be(1);
        transaction.Commit();
    }

    [Fact]
    public void A_tree_opened_as_another_kind_is_refused()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = environment.BeginWrite();
        transaction.OpenTree("ordered");
        transaction.OpenMultiTree("any");
        transaction.OpenMultiTree("eight", valueBytes: 8);
        transaction.Invoking(static t => t.OpenMultiTree("ordered")).Should().Throw<TreeKindMismatchException>();
        transaction.Invoking(static t => t.OpenTree("any")).Should().Throw<TreeKindMismatchException>();
        TreeKindMismatchException error = transaction.Invoking(static t => t.OpenMultiTree("eight", valueBytes: 4))
            .Should().Throw<TreeKindMismatchException>().Which;
        (error.Tree, error.Wanted, error.Found).Should().Be(
            ("eight", "a multi-value tree with values of 4 bytes", "a multi-value tree with values of 8 bytes"));
        transaction.TryOpenMultiTree("eight", out MultiTree tree).Should().BeTrue();
        tree.ValueBytes.Should().Be(8);
        transaction.DropTree("any").Should().BeTrue();
        transaction.OpenTree("any").Put("k"u8, "v"u8);
        transaction.RenameTree("eight", "octet").Should().BeTrue();
        transaction.OpenMultiTree("octet", valueBytes: 8).Add("k"u8, "12345678"u8);
        Savepoint savepoint = transaction.CreateSavepoint();
        transaction.OpenMultiTree("undone");
        transaction.RollbackTo(savepoint);
        transaction.OpenTree("undone");
        transaction.Commit();
        using ReadTransaction reader = environment.BeginRead();
        reader.OpenMultiTree("octet").Count.Should().Be(1);
        reader.OpenTree("any").Count.Should().Be(1);
        reader.Invoking(static r => r.OpenTree("octet")).Should().Throw<TreeKindMismatchException>();
        reader.Invoking(static r => r.OpenMultiTree("any")).Should().Throw<TreeKindMismatchException>();
        reader.Invoking(static r => r.OpenMultiTree("none")).Should().Throw<TreeNotFoundException>();
    }

    [Fact]
    public void The_format_version_grows_only_when_the_first_tree_is_created()
    {
        using TemporaryFolder folder = new();
        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path))
        {
            Sample.Put(environment, 0, 10);
            environment.Checkpoint();
            Newest(folder).FormatVersion.Should().Be(1);
            using WriteTransaction transaction = environment.BeginWrite();
            transaction.OpenMultiTree("t").Add("k"u8, "v"u8);
            Newest(folder).Should().Match<HeaderSlot>(slot => slot.FormatVersion == 2 && slot.Features == FormatFeatures.MultiTrees);
            transaction.Commit();
        }

        Newest(folder).FormatVersion.Should().Be(2);
        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path))
        {
            using ReadTransaction reader = environment.BeginRead();
            reader.OpenMultiTree("t").Contains("k"u8, "v"u8).Should().BeTrue();
            environment.Check().Findings.Should().BeEmpty();
        }
    }

    [Fact]
    public void A_replayed_tree_needs_no_slot_that_announces_it()
    {
        using TemporaryFolder live = new();
        using TemporaryFolder copy = new();
        using (StorageEnvironment environment = StorageEnvironment.Open(live.Path))
        {
            using WriteTransaction transaction = environment.BeginWrite();
            MultiTree tree = transaction.OpenMultiTree("t");
            tree.Add("k"u8, "v"u8);
            tree.Add("k"u8, "w"u8);
            tree.Delete("k"u8, "v"u8);
            transaction.Commit();
            TemporaryFolder.Copy(live.Path, copy.Path);
        }

        PatchNewest(copy, static slot => slot[50] ^= 1, reseal: false);
        using (StorageEnvironment environment = StorageEnvironment.Open(copy.Path))
        {
            using ReadTransaction reader = environment.BeginRead();
            reader.OpenMultiTree("t").Count.Should().Be(1);
        }

        Newest(copy).Features.Should().Be(FormatFeatures.MultiTrees);
    }

    [Fact]
    public void Unknown_features_are_named()
    {
        using TemporaryFolder folder = new();
        using (StorageEnvironment environment = StorageEnvironment.Open(folder.Path))
        {
            Sample.Put(environment, 0, 10);
        }

        PatchNewest(
            folder,
            static slot =>
            {
                slot[16] = 2;
                BinaryPrimitives.WriteUInt64LittleEndian(slot.AsSpan(120), 1UL | (1UL << 5) | (1UL << 63));
            },
            reseal: true);
        folder.Invoking(static f => StorageEnvironment.Open(f.Path)).Should().Throw<FormatVersionException>()
            .Which.Message.Should().Contain("bit 5, bit 63 of format version 2").And.NotContain("bit 0");
    }

    [Fact]
    public async Task Copies_backups_and_feeds_have_the_pairs()
    {
        using TemporaryFolder folder = new();
        using TemporaryFolder copied = new();
        using TemporaryFolder restored = new();
        string copy = Path.Combine(copied.Path, "copy");
        string target = Path.Combine(restored.Path, "target");
        using StorageEnvironment environment = StorageEnvironment.Open(folder.Path);
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            MultiTree tree = transaction.OpenMultiTree("t", valueBytes: 4);
            Span<byte> value = stackalloc byte[4];
            for (int i = 0; i < 30_000; i++)
            {
                BinaryPrimitives.WriteInt32BigEndian(value, i);
                tree.Add([(byte)(i % 3), 0], value);
            }

            tree.Delete([0, 0], [0, 0, 0, 0]);
            transaction.Commit();
        }

        List<ChangeKind> kinds = [];
        using CancellationTokenSource stop = new();
        await foreach (ChangeSet set in environment.ReadChangesAsync(0, null, stop.Token))
        {
            kinds.AddRange(set.Select(static change => change.Kind));
            break;
        }

        (kinds[0], kinds[1], kinds[^1], kinds.Count).Should().Be((ChangeKind.CreateTree, ChangeKind.Put, ChangeKind.DeletePair, 30_002));
        await environment.CopyToAsync(copy);
        (byte[] backup, _) = await Streams.FullAsync(environment);
        await Streams.RestoreAsync(target, null, backup);
        foreach (string path in (string[])[copy, target])
        {
            using StorageEnvironment other = StorageEnvironment.Open(path);
            using ReadTransaction reader = other.BeginRead();
            ReadMultiTree tree = reader.OpenMultiTree("t");
            (tree.ValueBytes, tree.Count, tree.Count([0, 0])).Should().Be((4, 29_999, 9_999));
            other.Check().Findings.Should().BeEmpty();
        }
    }

    private static HeaderSlot Newest(TemporaryFolder folder)
    {
        using FileStream file = new(Sample.Data(folder), FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        byte[] start = new byte[Math.Min(file.Length, 128 << 10)];
        file.ReadExactly(start);
        HeaderSlot first = System.Runtime.InteropServices.MemoryMarshal.Read<HeaderSlot>(start);
        HeaderSlot second = System.Runtime.InteropServices.MemoryMarshal.Read<HeaderSlot>(start.AsSpan((int)first.PageBytes));
        return first.Generation > second.Generation ? first : second;
    }

    private static void PatchNewest(TemporaryFolder folder, Action<byte[]> patch, bool reseal)
    {
        HeaderSlot newest = Newest(folder);
        byte[] file = File.ReadAllBytes(Sample.Data(folder));
        int offset = (int)(newest.SlotNumber * newest.PageBytes);
        byte[] slot = file[offset..(offset + HeaderSlot.SizeBytes)];
        patch(slot);
        if (reseal)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(slot, Checksum.Compute(slot.AsSpan(8)));
        }

        slot.CopyTo(file, offset);
        File.WriteAllBytes(Sample.Data(folder), file);
    }

    private static long Number(string variable, long otherwise) =>
        Environment.GetEnvironmentVariable(variable) is { } text ? long.Parse(text, CultureInfo.InvariantCulture) : otherwise;
}
