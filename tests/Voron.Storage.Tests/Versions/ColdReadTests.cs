using System.Buffers.Binary;
using FluentAssertions;
using Voron.Storage.IO;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Storage.Tests.Versions;

/// <summary>A data file that is larger than memory: which pages are asked for, and when.</summary>
public sealed class ColdReadTests : IDisposable
{
    private const int PageBytes = 4096;
    private const int Entries = 20_000;
    private readonly WatchedDisk _disk = new();
    private readonly List<long> _asked = [];

    public ColdReadTests()
    {
        using StorageEnvironment environment = Open(long.MaxValue);
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        for (int i = 0; i < Entries; i++)
        {
            tree.Put(Key(i), Value(i));
        }

        transaction.Commit();
    }

    public void Dispose() => _disk.Dispose();

    [Fact]
    public void A_file_that_memory_holds_is_not_read_ahead()
    {
        using StorageEnvironment environment = Open(long.MaxValue);
        _disk.OnReadAhead = Note;
        Scan(environment);
        _asked.Should().BeEmpty();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_scan_asks_for_each_leaf_before_it_reaches_it(bool forward)
    {
        using StorageEnvironment environment = Open(0);
        _disk.OnReadAhead = Note;
        using ReadTransaction transaction = environment.BeginRead();
        using Cursor cursor = transaction.OpenTree("t").OpenCursor();
        int seen = 0;
        while (forward ? cursor.MoveNext() : cursor.MovePrevious())
        {
            seen++;
            if (seen == Entries / 4)
            {
                int leaves = _asked.Distinct().Count();
                leaves.Should().BeGreaterThan(Entries / 4 / 35 + 50, "a leaf has some 30 entries, and a window of leaves is asked for");
            }
        }

        seen.Should().Be(Entries);
    }

    [Fact]
    public void A_short_range_asks_for_few_leaves()
    {
        using StorageEnvironment environment = Open(0);
        using ReadTransaction transaction = environment.BeginRead();
        using Cursor cursor = transaction.OpenTree("t").OpenCursor();
        cursor.Seek(Key(10_000)).Should().BeTrue();
        _disk.OnReadAhead = Note;
        for (int i = 0; i < 40; i++)
        {
            cursor.MoveNext().Should().BeTrue();
        }

        _asked.Distinct().Count().Should().BeInRange(1, 8);
    }

    [Fact]
    public void Several_keys_are_asked_for_before_the_first_is_read()
    {
        using StorageEnvironment environment = Open(0);
        using ReadTransaction transaction = environment.BeginRead();
        ReadTree tree = transaction.OpenTree("t");
        tree.TryGet(Key(0), out _).Should().BeTrue();
        ReadOnlyMemory<byte>[] keys = [.. Enumerable.Range(1, 8).Select(static i => (ReadOnlyMemory<byte>)Key(i * 2_000))];
        int populated = 0;
        int askedBefore = 0;
        _disk.OnReadAhead = Note;
        _disk.OnPopulate = (_, _) => askedBefore = populated++ == 0 ? _asked.Count : askedBefore;
        foreach (TreeLookup lookup in tree.GetMany(keys))
        {
            lookup.Value.Length.Should().Be(100);
        }

        askedBefore.Should().BeGreaterThan(1);
    }

    [Fact]
    public void A_transaction_asks_for_all_of_its_leaves_before_it_reads_them()
    {
        using StorageEnvironment environment = Open(0);
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        tree.TryGet(Key(0), out _).Should().BeTrue();
        for (int i = 99; i >= 0; i--)
        {
            tree.Put(Key((i * 7_919) % Entries), Value(i));
        }

        _disk.OnReadAhead = Note;
        int populatedAfter = -1;
        _disk.OnPopulate = (_, _) => populatedAfter = populatedAfter < 0 && _asked.Count > 50 ? _asked.Count : populatedAfter;
        transaction.Commit();
        populatedAfter.Should().BeGreaterThan(50);
    }

    /// <summary>
    /// Memory evicts pages without a word, so all of them are asked for again now and then; what they hold is not verified again.
    /// </summary>
    [Fact]
    public void After_many_misses_pages_are_asked_for_again()
    {
        using StorageEnvironment environment = Open(0);
        _disk.OnReadAhead = Note;
        for (int round = 0; round < 6; round++)
        {
            Scan(environment);
        }

        _asked.GroupBy(static page => page).Max(static asked => asked.Count()).Should().BeGreaterThan(2);
        _asked.Should().HaveCountLessThan(6 * 1_000 * 3);
    }

    [Fact]
    public void The_system_is_told_not_to_read_around_a_touch_of_a_spill_file_or_of_a_large_data_file()
    {
        List<string> told = [];
        _disk.OnCall = (call, path) =>
        {
            if (call == "expect random reads")
            {
                told.Add(Path.GetFileName(path));
            }

            return IoError.Success;
        };
        using StorageEnvironment environment = StorageEnvironment.Open("/db", new StorageOptions
        {
            Engine = new() { Disk = _disk, Background = false, MemoryBytes = 4 << 20 }, PageSize = PageBytes, MaxDirtyBytes = 1 << 20,
        });
        told.Should().Equal("data.voron");
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("other");
        for (int i = 0; i < Entries; i++)
        {
            tree.Put(Key(i), Value(i));
        }

        transaction.Commit();
        told.Should().HaveCountGreaterThan(1).And.Contain(Path.GetFileName(new DatabasePaths("/db").Spill));
    }

    private static byte[] Key(int i)
    {
        byte[] key = new byte[8];
        BinaryPrimitives.WriteInt64BigEndian(key, i);
        return key;
    }

    private static byte[] Value(int i) => [.. Enumerable.Repeat((byte)i, 100)];

    private static void Scan(StorageEnvironment environment)
    {
        using ReadTransaction transaction = environment.BeginRead();
        using Cursor cursor = transaction.OpenTree("t").OpenCursor();
        int seen = 0;
        while (cursor.MoveNext())
        {
            BinaryPrimitives.ReadInt64BigEndian(cursor.Key).Should().Be(seen);
            cursor.Value[99].Should().Be((byte)seen++);
        }

        seen.Should().Be(Entries);
    }

    private void Note(string path, long offset, long bytes)
    {
        for (long page = offset / PageBytes; page < (offset + bytes) / PageBytes; page++)
        {
            _asked.Add(page);
        }
    }

    private StorageEnvironment Open(long memoryBytes) => StorageEnvironment.Open("/db", new StorageOptions
    {
        Engine = new() { Disk = _disk, Background = false, MemoryBytes = memoryBytes }, PageSize = PageBytes,
    });
}
