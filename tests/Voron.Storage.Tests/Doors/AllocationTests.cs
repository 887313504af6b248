using FluentAssertions;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>In steady state no operation, scan step or commit allocates managed memory.</summary>
public class AllocationTests
{
    /// <summary>Behind the growth of the first lists and in the middle of a chunk of 4 MiB: going over to a chunk makes its name.</summary>
    private const int FirstCounted = 400;

    private const int Windows = 5;
    private const int TransactionsPerWindow = 40;

    private readonly byte[] _key = new byte[16];
    private readonly byte[] _from = new byte[16];
    private readonly byte[] _value = new byte[100];
    private readonly ReadOnlyMemory<byte>[] _keys = [.. Enumerable.Range(0, 20).Select(i => (ReadOnlyMemory<byte>)Sample.Key(i))];

    [Theory]
    [InlineData(true, false)]
    [InlineData(false, false)]
    [InlineData(true, true)]
    public void Steady_writing_reading_and_scanning_allocate_nothing(bool random, bool background)
    {
        using TemporaryFolder folder = new();
        using StorageEnvironment environment = StorageEnvironment.Open(
            folder.Path, new StorageOptions { Engine = new() { Background = background }, JournalSoftLimitBytes = 256 << 20 });
        for (int i = 0; i < FirstCounted; i++)
        {
            Write(environment, random, i);
            Read(environment, random, i);
        }

        long[] written = new long[Windows];
        long[] read = new long[Windows];
        for (int window = 0; window < Windows; window++)
        {
            int first = FirstCounted + (window * TransactionsPerWindow);
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = first; i < first + TransactionsPerWindow; i++)
            {
                Write(environment, random, i);
            }

            written[window] = GC.GetAllocatedBytesForCurrentThread() - before;
            before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = first; i < first + TransactionsPerWindow; i++)
            {
                Read(environment, random, i);
            }

            read[window] = GC.GetAllocatedBytesForCurrentThread() - before;
        }

        read.Min().Should().Be(0, "a read transaction with lookups of every kind, a cursor and a scan allocates nothing");
        written.Min().Should().Be(0, "{0} write transactions with changes of every kind allocate nothing", TransactionsPerWindow);

        // What remains is growth: a handle for each new region of native memory, a list that doubles. It must not be one for each
        // transaction. A checkpoint, which begins in the background when the disk stands still for seconds, lets lists grow once; and a
        // collection that another test causes blurs the count of the window in which it happens, so the largest one is left out.
        string windows = string.Join(", ", written);
        written.Order().SkipLast(1).Sum().Should().BeLessThan(background ? 128 << 10 : 4096, "windows allocated {0}", windows);
        environment.Check().Findings.Should().BeEmpty();
    }

    private void Write(StorageEnvironment environment, bool random, int round)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        for (int i = 0; i < 85; i++)
        {
            SetKey(random, (round * 100) + i);
            tree.Put(_key, _value);
        }

        for (int i = 0; i < 10; i++)
        {
            SetKey(random, (round * 100) + (i * 7));
            tree.Delete(_key);
        }

        // Together these stay below three blocks, so that the journal goes over to another chunk no sooner than it is expected to.
        Tree log = transaction.OpenTree("log");
        for (int i = 0; i < 6; i++)
        {
            SetKey(random: false, (round * 6) + i);
            log.Append(_key, _value.AsSpan(0, 10));
        }

        log.Reserve(_key, 10).Fill(3);
        using (WriteCursor cursor = log.OpenCursor())
        {
            cursor.MoveLast();
            cursor.SetValue(_value.AsSpan(0, 5));
            cursor.MovePrevious();
            cursor.DeleteCurrent();
            cursor.Put(_key, _value.AsSpan(0, 10));
        }

        SetKey(random: false, (round * 6) + 1);
        _key.CopyTo(_from, 0);
        SetKey(random: false, (round * 6) + 3);
        log.DeleteRange(_from, _key);
        transaction.Commit();
    }

    private void Read(StorageEnvironment environment, bool random, int round)
    {
        using ReadTransaction transaction = environment.BeginRead();
        transaction.TryOpenTree("t"u8, out ReadTree tree);
        for (int i = 0; i < 100; i++)
        {
            SetKey(random, (round * 50) + i);
            tree.TryGet(_key, out _);
        }

        foreach (TreeLookup found in tree.GetMany(_keys))
        {
            _ = found.Value;
        }

        tree.TryGetFirst(out _, out _);
        tree.TryGetFloor(_key, out _, out _);
        tree.TryGetCeiling(_key, out _, out _);
        tree.EstimateCount(default, _key);
        using (Cursor cursor = tree.OpenCursor())
        {
            cursor.Seek(_key);
            for (int i = 0; i < 100 && cursor.MovePrevious(); i++)
            {
                _ = cursor.Key;
            }
        }

        long length = 0;
        foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree.From(_key))
        {
            length += key.Length + value.Length;
            if (length > 100_000)
            {
                break;
            }
        }
    }

    private void SetKey(bool random, int number)
    {
        ulong high = random ? (ulong)number * 0x9E3779B97F4A7C15 : (ulong)number;
        System.Buffers.Binary.BinaryPrimitives.WriteUInt64BigEndian(_key, high);
        System.Buffers.Binary.BinaryPrimitives.WriteInt32BigEndian(_key.AsSpan(8), number);
    }
}
