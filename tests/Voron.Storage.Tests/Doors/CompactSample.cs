using System.Buffers.Binary;
using System.IO.Pipelines;
using FluentAssertions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Databases to be compacted: entries in no order, most of which are deleted, and long values.</summary>
internal static class CompactSample
{
    internal const int PageBytes = 4096;

    internal static readonly CompactOptions Quick = new() { BytesPerSecond = 0, BytesPerTransaction = 16 * PageBytes };

    private const int LengthStepBytes = 64 << 10;

    internal static StorageEnvironment Open(TemporaryFolder folder, long keepChangesBytes = 0) => StorageEnvironment.Open(
        folder.Path,
        new StorageOptions
        {
            PageSize = PageBytes, KeepChangesBytes = keepChangesBytes,
            Engine = new() { Background = false, PlacedValueBytes = 6_000, JournalledBytes = 20_000, ValuePieceBytes = 30_000 },
        });

    /// <summary>Expects that the file is as long as what is in use, and the share that stays free.</summary>
    internal static void ExpectShort(CompactReport report, string because = "") =>
        report.FileBytesAfter.Should().BeLessThanOrEqualTo((long)(report.UsedBytes * 1.06) + LengthStepBytes, because);

    /// <summary>A key that does not follow the order of the numbers.</summary>
    internal static byte[] Scattered(int number) => Bytes((long)(((ulong)number * 0x9E3779B97F4A7C15) >> 1));

    internal static byte[] Bytes(long number)
    {
        byte[] bytes = new byte[8];
        BinaryPrimitives.WriteInt64BigEndian(bytes, number);
        return bytes;
    }

    internal static void Fill(StorageEnvironment environment, int count, int valueBytes, int first = 0)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree(Sample.Tree);
        for (int i = first; i < first + count; i++)
        {
            tree.Put(Scattered(i), Sample.Value(valueBytes, i));
        }

        transaction.Commit();
    }

    internal static void DeleteAllBut(StorageEnvironment environment, int count, int oneIn)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree(Sample.Tree);
        for (int i = 0; i < count; i++)
        {
            _ = i % oneIn == 0 || tree.Delete(Scattered(i));
        }

        transaction.Commit();
    }

    internal static void Expect(StorageEnvironment environment, int count, int oneIn, int valueBytes)
    {
        using (ReadTransaction read = environment.BeginRead())
        {
            ReadTree tree = read.OpenTree(Sample.Tree);
            tree.Count.Should().Be((count + oneIn - 1) / oneIn);
            for (int i = 0; i < count; i += oneIn)
            {
                tree.Get(Scattered(i)).Should().Equal(Sample.Value(valueBytes, i));
            }
        }

        environment.Check().Findings.Should().BeEmpty();
    }

    internal static void PutLong(StorageEnvironment environment, int number, byte[] value, bool isStream)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("values");
        if (isStream)
        {
            PipeWriter writer = tree.OpenValueWriter(Sample.Key(number));
            writer.WriteAsync(value, TestContext.Current.CancellationToken).AsTask().GetAwaiter().GetResult();
            writer.Complete();
        }
        else
        {
            tree.Put(Sample.Key(number), value);
        }

        transaction.Commit();
    }

    internal static void ExpectValues(StorageEnvironment environment, Dictionary<int, byte[]> values)
    {
        using (ReadTransaction read = environment.BeginRead())
        {
            ReadTree tree = read.OpenTree("values");
            tree.Count.Should().Be(values.Count);
            foreach ((int number, byte[] value) in values)
            {
                tree.TryOpenValueReader(Sample.Key(number), out PipeReader? reader).Should().BeTrue();
                using MemoryStream copy = new();
                reader!.CopyToAsync(copy, TestContext.Current.CancellationToken).GetAwaiter().GetResult();
                copy.ToArray().Should().Equal(value);
            }
        }

        environment.Check().Findings.Should().BeEmpty();
    }
}
