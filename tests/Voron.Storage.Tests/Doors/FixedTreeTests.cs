using System.Globalization;
using FluentAssertions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Fixed-size trees; VORON_SEED repeats a run against the model, VORON_OPERATIONS lengthens it.</summary>
public class FixedTreeTests(ITestOutputHelper output)
{
    private const long Operations = 6_000;

    [Theory]
    [InlineData(4096, 8, FixedKeyShape.Dense)]
    [InlineData(4096, 0, FixedKeyShape.Clustered)]
    [InlineData(8192, 1, FixedKeyShape.Spread)]
    [InlineData(8192, 100, FixedKeyShape.Dense)]
    [InlineData(16384, 8, FixedKeyShape.Clustered)]
    internal void Every_operation_with_long_keys_does_what_a_dictionary_does(int pageBytes, int valueSize, FixedKeyShape shape) =>
        Run(pageBytes, valueSize, new FixedLongs(shape));

    [Theory]
    [InlineData(8192, 8, FixedKeyShape.Clustered)]
    [InlineData(65536, 100, FixedKeyShape.Spread)]
    internal void Every_operation_with_ulong_keys_does_what_a_dictionary_does(int pageBytes, int valueSize, FixedKeyShape shape) =>
        Run(pageBytes, valueSize, new FixedUnsigned(shape));

    [Theory]
    [InlineData(4096, 8, FixedKeyShape.Dense)]
    [InlineData(8192, 100, FixedKeyShape.Clustered)]
    internal void Every_operation_with_double_keys_does_what_a_dictionary_does(int pageBytes, int valueSize, FixedKeyShape shape) =>
        Run(pageBytes, valueSize, new FixedDoubles(shape));

    [Theory]
    [InlineData(4096, 1024, FixedKeyShape.Dense)]
    [InlineData(8192, 8, FixedKeyShape.Spread)]
    [InlineData(8192, 0, FixedKeyShape.Clustered)]
    internal void Every_operation_with_guid_keys_does_what_a_dictionary_does(int pageBytes, int valueSize, FixedKeyShape shape) =>
        Run(pageBytes, valueSize, new FixedGuids(shape));

    [Fact]
    public void Entries_are_found_replaced_counted_and_deleted()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            FixedTree<long> tree = transaction.OpenFixedTree<long>("ticks", valueSize: 2);
            tree.Add(5, "fi"u8).Should().BeTrue();
            tree.Add(5, "xx"u8).Should().BeFalse();
            tree.Put(-7, "se"u8);
            tree.Append(9, "ni"u8);
            "ze"u8.CopyTo(tree.Reserve(0));
            tree.Count.Should().Be(4);
            tree.Put(5, "FI"u8);
            tree.TryGet(5, out ReadOnlySpan<byte> value).Should().BeTrue();
            value.SequenceEqual("FI"u8).Should().BeTrue();
            tree.Delete(9).Should().BeTrue();
            tree.Delete(9).Should().BeFalse();
            tree.CountBetween(-7, 5).Should().Be(2);
            tree.DeleteRange(-100, 0).Should().Be(1);
            transaction.Commit();
        }

        using ReadTransaction read = environment.BeginRead();
        ReadFixedTree<long> ticks = read.OpenFixedTree<long>("ticks");
        (ticks.Count, ticks.ValueSize, ticks.Contains(0), ticks.Contains(9)).Should().Be((2, 2, true, false));
        foreach (FixedBlock<long> block in ticks.Blocks(long.MinValue, long.MaxValue))
        {
            block.Keys.ToArray().Should().Equal(0, 5);
            block.Values<short>().Length.Should().Be(2);
            bool isRefused = false;
            try
            {
                block.Values<int>();
            }
            catch (ArgumentException)
            {
                isRefused = true;
            }

            isRefused.Should().BeTrue();
        }
    }

    [Fact]
    public void Keys_are_in_the_order_of_their_type()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = environment.BeginWrite();
        FixedTree<double> doubles = transaction.OpenFixedTree<double>("d", 0);
        double[] numbers = [double.NaN, double.NegativeInfinity, -1, -double.Epsilon, 0, double.Epsilon, 1, double.PositiveInfinity];
        foreach (double number in numbers.Reverse())
        {
            doubles.Add(number, default).Should().BeTrue();
        }

        doubles.Add(-0.0, default).Should().BeFalse();
        doubles.Add(BitConverter.Int64BitsToDouble(-1), default).Should().BeFalse();
        Keys(doubles.AsReadFixedTree()).Should().Equal(numbers);
        FixedTree<Guid> guids = transaction.OpenFixedTree<Guid>("g", 0);
        Guid[] ids = [.. Enumerable.Range(0, 500).Select(static _ => Guid.NewGuid())];
        Array.ForEach(ids, id => guids.Put(id, default));
        Keys(guids.AsReadFixedTree()).Should().Equal(ids.Order());
        FixedTree<ulong> unsigned = transaction.OpenFixedTree<ulong>("u", 0);
        unsigned.Put(ulong.MaxValue, default);
        unsigned.Put(0, default);
        unsigned.Put(1UL << 63, default);
        Keys(unsigned.AsReadFixedTree()).Should().Equal(0, 1UL << 63, ulong.MaxValue);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Appended_columns_are_the_entries_one_by_one(bool isRolledBack)
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            FixedTree<double> tree = transaction.OpenFixedTree<double>("t", 3);
            double oddNaN = BitConverter.Int64BitsToDouble(BitConverter.DoubleToInt64Bits(double.NaN) ^ 1);
            tree.Append([oddNaN, double.NegativeInfinity, -0.0], "abcdefghi"u8);
            tree.Append(0.5, "jkl"u8);
            Savepoint before = transaction.CreateSavepoint();
            tree.Append([1, 2], "mnopqr"u8);
            if (isRolledBack)
            {
                transaction.RollbackTo(before);
            }

            tree.Append([3, 4], "stuvwx"u8);
            transaction.Commit();
        }

        using ReadTransaction read = environment.BeginRead();
        ReadFixedTree<double> found = read.OpenFixedTree<double>("t");
        List<string> entries = [];
        foreach ((double key, ReadOnlySpan<byte> value) in found)
        {
            entries.Add($"{BitConverter.DoubleToInt64Bits(key):X} {System.Text.Encoding.ASCII.GetString(value)}");
        }

        string[] middle = isRolledBack ? [] : [Entry(1, "mno"), Entry(2, "pqr")];
        entries.Should().Equal(
        [
            Entry(double.NaN, "abc"), Entry(double.NegativeInfinity, "def"), Entry(0, "ghi"), Entry(0.5, "jkl"), .. middle, Entry(3, "stu"),
            Entry(4, "vwx"),
        ]);
        environment.Check().IsClean.Should().BeTrue();

        static string Entry(double key, string value) => $"{BitConverter.DoubleToInt64Bits(key):X} {value}";
    }

    [Fact]
    public void Wrong_arguments_change_nothing()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = environment.BeginWrite();
        FixedTree<long> tree = transaction.OpenFixedTree<long>("t", 2);
        tree.Append(1, "ab"u8);
        tree.Invoking(static t => t.Put(2, "abc"u8)).Should().Throw<ArgumentException>();
        tree.Invoking(static t => t.Add(2, "a"u8)).Should().Throw<ArgumentException>();
        tree.Invoking(static t => t.Append(1, "ab"u8)).Should().Throw<ArgumentException>();
        tree.Invoking(static t => t.Append([2, 3], "abc"u8)).Should().Throw<ArgumentException>().WithMessage("*are 4*");
        tree.Invoking(static t => t.Append([2, 4, 3], "abcdef"u8)).Should().Throw<ArgumentException>().WithMessage("*ascending*");
        tree.Invoking(static t => t.Append([2, 2], "abcd"u8)).Should().Throw<ArgumentException>().WithMessage("*ascending*");
        tree.Invoking(static t => t.Append([1, 2], "abcd"u8)).Should().Throw<ArgumentException>().WithMessage("*not above*");
        tree.Append([], []);
        transaction.Invoking(static t => t.OpenFixedTree<long>("u", 1025)).Should().Throw<ArgumentOutOfRangeException>();
        transaction.Invoking(static t => t.OpenFixedTree<int>("u", 8)).Should().Throw<ArgumentException>()
            .WithMessage("*long, ulong, double or Guid*");
        tree.Count.Should().Be(1);
        transaction.TreeNames.Should().Equal("t");
        transaction.Commit();
    }

    [Fact]
    public void A_tree_opened_as_another_kind_is_refused()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = environment.BeginWrite();
        transaction.OpenTree("ordered");
        transaction.OpenMultiTree("multi");
        transaction.OpenFixedTree<long>("fixed", 8);
        foreach (string other in (string[])["ordered", "multi"])
        {
            transaction.Invoking(t => t.OpenFixedTree<long>(other, 8)).Should().Throw<TreeKindMismatchException>();
            transaction.Invoking(t => t.TryOpenFixedTree<long>(other, out _)).Should().Throw<TreeKindMismatchException>();
        }

        transaction.Invoking(static t => t.OpenTree("fixed")).Should().Throw<TreeKindMismatchException>();
        transaction.Invoking(static t => t.OpenMultiTree("fixed")).Should().Throw<TreeKindMismatchException>();
        transaction.Invoking(static t => t.OpenFixedTree<ulong>("fixed", 8)).Should().Throw<TreeKindMismatchException>();
        TreeKindMismatchException error = transaction.Invoking(static t => t.OpenFixedTree<long>("fixed", 4))
            .Should().Throw<TreeKindMismatchException>().Which;
        error.Tree.Should().Be("fixed");
        error.Wanted.Should().Be("a fixed-size tree with Int64 keys and values of 4 bytes");
        error.Found.Should().Be("a fixed-size tree with Int64 keys and values of 8 bytes");
        transaction.TryOpenFixedTree("fixed", out FixedTree<long> tree).Should().BeTrue();
        tree.Append(1, new byte[8]);
        transaction.DropTree("fixed").Should().BeTrue();
        transaction.OpenFixedTree<Guid>("fixed", 0).Append(Guid.Empty, default);
        transaction.RenameTree("fixed", "renamed").Should().BeTrue();
        transaction.Commit();
        using ReadTransaction reader = environment.BeginRead();
        reader.OpenFixedTree<Guid>("renamed").Count.Should().Be(1);
        reader.Invoking(static r => r.OpenFixedTree<long>("renamed")).Should().Throw<TreeKindMismatchException>();
        reader.Invoking(static r => r.OpenTree("renamed")).Should().Throw<TreeKindMismatchException>();
        reader.Invoking(static r => r.OpenFixedTree<long>("fixed")).Should().Throw<TreeNotFoundException>();
        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void Appended_entries_fill_their_pages_and_random_ones_most_of_them()
    {
        const int Entries = 200_000;
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = environment.BeginWrite();
        FixedTree<long> appended = transaction.OpenFixedTree<long>("a", 8);
        FixedTree<long> put = transaction.OpenFixedTree<long>("p", 8);
        Random random = new(4);
        for (int i = 0; i < Entries; i++)
        {
            appended.Append(i * 5L, BitConverter.GetBytes((long)i));
            put.Put(random.NextInt64(), BitConverter.GetBytes((long)i));
        }

        double full = appended.GetReport().AllocatedBytes / (16.0 * Entries);
        double random16 = put.GetReport().AllocatedBytes / (16.0 * Entries);
        output.WriteLine($"{full:0.0000} of the bytes appended, {random16:0.000} of those put");
        full.Should().BeLessThan(1.02);
        random16.Should().BeLessThan(1.6);
        transaction.Commit();
        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void Gets_puts_appends_and_steps_allocate_nothing()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using WriteTransaction transaction = environment.BeginWrite();
        FixedTree<long> tree = transaction.OpenFixedTree<long>("t", 8);
        long next = 0;
        for (int i = 0; i < 20_000; i++)
        {
            Act(tree, i, ref next);
        }

        // Few enough that some rounds need no new page: builds with guards keep a record of each.
        void Round()
        {
            for (int i = 0; i < 50; i++)
            {
                Act(tree, i, ref next);
            }
        }

        Allocations.Least(Round, rounds: 40).Should().Be(0);
        next.Should().BeGreaterThan(20_000);
    }

    private static void Act(FixedTree<long> tree, int i, ref long next)
    {
        Span<byte> value = stackalloc byte[8];
        tree.Append(next++, value);
        tree.Append([next++], value);
        tree.Put(next / 2, value);
        tree.TryGet(next / 3, out _);
        tree.TryGetFloor(next / 5, out _, out _);
        if (i % 1_000 == 0)
        {
            foreach (FixedBlock<long> block in tree.Blocks())
            {
                value[0] += (byte)block.Keys[0];
            }
        }
    }

    private static List<TKey> Keys<TKey>(ReadFixedTree<TKey> tree)
        where TKey : unmanaged
    {
        List<TKey> keys = [];
        foreach ((TKey key, _) in tree)
        {
            keys.Add(key);
        }

        return keys;
    }

    private void Run<TKey>(int pageBytes, int valueSize, FixedKeys<TKey> keys)
        where TKey : unmanaged, IComparable<TKey>
    {
        int seed = (int)Number("VORON_SEED", Random.Shared.Next());
        long operations = Number("VORON_OPERATIONS", Operations);
        string command = $"VORON_SEED={seed} VORON_OPERATIONS={operations} dotnet test -c Release tests/Voron.Storage.Tests "
            + "--filter FullyQualifiedName~FixedTreeTests";
        output.WriteLine($"pages of {pageBytes} bytes, values of {valueSize}; to repeat: {command}");
        using FixedRun<TKey> run = new(seed, pageBytes, valueSize, keys);
        try
        {
            run.Run(operations);
        }
        catch (Exception error)
        {
            throw new InvalidOperationException($"After {run.Operations} operations. To repeat: {command}. {error.Message}", error);
        }
    }

    private static long Number(string name, long otherwise) =>
        Environment.GetEnvironmentVariable(name) is { Length: > 0 } text ? long.Parse(text, CultureInfo.InvariantCulture) : otherwise;
}
