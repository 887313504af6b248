using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;
using FluentAssertions;
using FsCheck;
using FsCheck.Fluent;
using Voron.Storage.Engine;
using Voron.Storage.IO;
using Voron.Storage.Tests.Trees;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// Properties of trees for programs that FsCheck makes up and, when one fails, shortens. Each number is one operation on one of a few keys
/// of all shapes. The message of a failure names its replay, for VORON_REPLAY.
/// </summary>
public class TreeProperties
{
    private const int Kinds = 11;
    private const string ReplayVariable = "VORON_REPLAY";

    public static TheoryData<int> PageSizes => [4096, 8192, 16384, 32768, 65536];

    [Theory]
    [MemberData(nameof(PageSizes))]
    public void Any_program_leaves_what_a_sorted_dictionary_has(int pageBytes) =>
        Hold(120, Prop.ForAll<int[]>(program => Run(program, pageBytes)));

    [Fact]
    public void Any_keys_give_any_range_of_them() => Hold(300, Prop.ForAll<int[], int, int>((chosen, first, second) =>
    {
        byte[][] keys = Keys(4096);
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory(new StorageOptions { PageSize = 4096 });
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        SortedSet<byte[]> model = new(ByteOrder.Instance);
        foreach (int number in chosen)
        {
            tree.Put(Of(keys, number), default);
            model.Add(Of(keys, number));
        }

        byte[] from = Of(keys, first);
        byte[] to = Of(keys, second);
        List<string> inside = [.. model.Where(key => key.AsSpan().SequenceCompareTo(from) >= 0 && key.AsSpan().SequenceCompareTo(to) < 0)
            .Select(System.Text.Encoding.Latin1.GetString)];
        Sample.Texts(tree.Range(from, to)).Should().Equal(inside);
        inside.Reverse();
        Sample.Texts(tree.Range(from, to).Reverse()).Should().Equal(inside);
        List<string> beginning = [.. model.Where(key => key.AsSpan().StartsWith(from)).Select(System.Text.Encoding.Latin1.GetString)];
        Sample.Texts(tree.Prefix(from)).Should().Equal(beginning);
        byte[]? floor = model.LastOrDefault(key => key.AsSpan().SequenceCompareTo(from) <= 0);
        tree.TryGetFloor(from, out ReadOnlySpan<byte> found, out _).Should().Be(floor is not null);
        (floor is null || found.SequenceEqual(floor)).Should().BeTrue();
        byte[]? ceiling = model.FirstOrDefault(key => key.AsSpan().SequenceCompareTo(from) >= 0);
        tree.TryGetCeiling(from, out found, out _).Should().Be(ceiling is not null);
        (ceiling is null || found.SequenceEqual(ceiling)).Should().BeTrue();
    }));

    [Fact]
    public void Any_parts_written_to_a_stream_come_back_as_one_value() => Hold(150, Prop.ForAll<int[]>(parts =>
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory(new StorageOptions
        {
            Engine = new() { ValuePieceBytes = 5000 },
        });
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        PipeWriter writer = tree.OpenValueWriter("k"u8);
        List<byte> all = [];
        for (int i = 0; i < parts.Length; i++)
        {
            byte[] part = Sample.Value(Math.Abs(parts[i] % 400) * 20, i);
            writer.Write(part);
            all.AddRange(part);
        }

        writer.Complete();
        tree.TryOpenValueReader("k"u8, out PipeReader? reader).Should().BeTrue();
        ReadResult result;
        while (reader!.TryRead(out result) && !result.IsCompleted)
        {
            reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
        }

        result.Buffer.ToArray().AsSpan().SequenceEqual(all.ToArray()).Should().BeTrue();
    }));

    private static void Hold(int tests, Property property)
    {
        Config config = Config.QuickThrowOnFailure.WithMaxTest(tests).WithEndSize(Kinds * 36);
        if (Environment.GetEnvironmentVariable(ReplayVariable)?.Split(',') is [string seed, string gamma])
        {
            config = config.WithReplay(
                ulong.Parse(seed, CultureInfo.InvariantCulture), ulong.Parse(gamma, CultureInfo.InvariantCulture));
        }

        try
        {
            Check.One(config, property);
        }
        catch (Exception error)
        {
            throw new InvalidOperationException(
                $"To repeat: {ReplayVariable}=<the two numbers of the replay below> dotnet test -c Release tests/Voron.Storage.Tests "
                + $"--filter FullyQualifiedName~{nameof(TreeProperties)}. {error.Message}",
                error);
        }
    }

    private static byte[] Of(byte[][] keys, int number) => keys[(Math.Abs((long)number) / Kinds) % keys.Length];

    /// <summary>Empty, one byte, runs of 0x00 and 0xFF, a long shared beginning, the greatest length, text.</summary>
    private static byte[][] Keys(int pageBytes)
    {
        byte[] shared = Sample.Value(200, 1);
        byte[] longest = Sample.Value(pageBytes / 4, 2);
        List<byte[]> keys = [[], [0], [1], [0xFF], longest, longest[..^1]];
        for (byte i = 1; i <= 6; i++)
        {
            keys.Add(new byte[i * 7]);
            keys.Add([.. Enumerable.Repeat((byte)0xFF, i * 5)]);
            keys.Add([.. shared, i]);
            keys.Add([.. longest.AsSpan(0, longest.Length - 1), i]);
            keys.Add(Sample.Bytes(string.Concat(Enumerable.Repeat("日本ä", i))));
        }

        return [.. keys];
    }

    private static void Run(int[] program, int pageBytes)
    {
        byte[][] keys = Keys(pageBytes);
        using MemoryDisk disk = new();
        StorageOptions options = new()
        {
            Engine = new()
            {
                Disk = disk, Background = false, PlacedValueBytes = pageBytes, JournalledBytes = 3 * pageBytes, ValuePieceBytes = pageBytes,
            },
            PageSize = pageBytes,
        };
        StorageEnvironment environment = StorageEnvironment.Open("/p", options);
        try
        {
            SortedDictionary<byte[], byte[]> model = new(ByteOrder.Instance);
            for (int start = 0; start < program.Length || start == 0; start += 16)
            {
                Change(environment, model, program.AsSpan(start, Math.Min(16, program.Length - start)), keys, pageBytes);
                if (start % 48 == 0)
                {
                    environment.Checkpoint();
                }
            }

            environment.Database.Abandon();
            environment = StorageEnvironment.Open("/p", options);
            using (ReadTransaction reader = environment.BeginRead())
            {
                ReadTree tree = reader.OpenTree("t");
                tree.Count.Should().Be(model.Count);
                foreach ((byte[] key, byte[] value) in model)
                {
                    tree.Get(key).AsSpan().SequenceEqual(value).Should().BeTrue();
                }
            }

            environment.Check().Findings.Should().BeEmpty();
        }
        finally
        {
            environment.Dispose();
        }
    }

    private static void Change(
        StorageEnvironment environment, SortedDictionary<byte[], byte[]> model, ReadOnlySpan<int> program, byte[][] keys, int pageBytes)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        Tree tree = transaction.OpenTree("t");
        foreach (int number in program)
        {
            byte[] key = Of(keys, number);
            switch (Math.Abs((long)number) % Kinds)
            {
                case < 6:
                    byte[] value = Sample.Value((number < 0 ? pageBytes / 100 : 1) * (Math.Abs(number % 397)), number);
                    tree.Put(key, value);
                    model[key] = value;
                    break;
                case < 9:
                    tree.Delete(key).Should().Be(model.Remove(key));
                    break;
                case 9:
                    tree.TryAdd(key, key).Should().Be(model.TryAdd(key, key));
                    break;
                default:
                    byte[][] near = [.. model.Keys.Where(other => ByteOrder.Instance.Compare(other, key) >= 0).Take(4)];
                    tree.DeleteRange(key, near.LastOrDefault(key)).Should().Be(Math.Max(0, near.Length - 1));
                    Array.ForEach(near.SkipLast(1).ToArray(), gone => model.Remove(gone));
                    break;
            }
        }

        transaction.Commit();
    }
}
