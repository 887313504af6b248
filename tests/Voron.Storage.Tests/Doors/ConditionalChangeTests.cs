using FluentAssertions;
using Voron.Storage.Tests.Trees;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Changes that depend on the present value: TryReplace, TryDelete and Increment.</summary>
public sealed class ConditionalChangeTests
{
    [Fact]
    public void A_value_is_replaced_or_deleted_only_if_it_is_the_expected_one()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Tree tree = transaction.OpenTree("t");
            tree.TryReplace("k"u8, default, "1"u8).Should().BeFalse("a missing key has no value");
            tree.TryDelete("k"u8, default).Should().BeFalse();
            tree.Put("k"u8, "1"u8);
            tree.TryReplace("k"u8, "2"u8, "3"u8).Should().BeFalse();
            tree.TryReplace("k"u8, "12"u8, "3"u8).Should().BeFalse();
            tree.TryReplace("k"u8, "1"u8, "2"u8).Should().BeTrue();
            tree.TryDelete("k"u8, "1"u8).Should().BeFalse();
            tree.Get("k"u8).Should().Equal("2"u8.ToArray());
            transaction.Commit();
        }

        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Tree tree = transaction.OpenTree("t");
            byte[] large = new byte[100_000];
            tree.TryReplace("k"u8, "2"u8, large).Should().BeTrue();
            large[^1] = 1;
            tree.TryReplace("k"u8, large, "3"u8).Should().BeFalse();
            large[^1] = 0;
            tree.TryDelete("k"u8, large).Should().BeTrue();
            tree.Count.Should().Be(0);
            transaction.Commit();
        }

        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void A_number_is_incremented_or_refused()
    {
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory();
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            Tree tree = transaction.OpenTree("t");
            tree.Increment("n"u8).Should().Be(1);
            tree.Increment("n"u8, 41).Should().Be(42);
            tree.Increment("n"u8, -50).Should().Be(-8);
            tree.Get("n"u8).Should().Equal(BitConverter.GetBytes(-8L));
            tree.Increment("most"u8, long.MaxValue);
            tree.Put("text"u8, "123"u8);
            Action text = () => tree.Increment("text"u8);
            text.Should().Throw<ArgumentException>().Which.Message.Should().Contain("'text'").And.Contain("3 bytes");
            Action beyond = () => tree.Increment("most"u8);
            beyond.Should().Throw<OverflowException>();
            tree.Count.Should().Be(3);
            transaction.Commit();
        }

        using ReadTransaction read = environment.BeginRead();
        ReadTree after = read.OpenTree("t");
        after.Get("n"u8).Should().Equal(BitConverter.GetBytes(-8L));
        after.Get("text"u8).Should().Equal("123"u8.ToArray());
        after.Get("most"u8).Should().Equal(BitConverter.GetBytes(long.MaxValue));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Random_changes_have_the_results_of_a_dictionary(int seed)
    {
        Random random = new(seed);
        SortedDictionary<byte[], byte[]> model = new(ByteOrder.Instance);
        using StorageEnvironment environment = StorageEnvironment.OpenInMemory(new StorageOptions { PageSize = 4096 });
        for (int round = 0; round < 60; round++)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Tree tree = transaction.OpenTree("t");
            SortedDictionary<byte[], byte[]> before = new(model, ByteOrder.Instance);
            for (int i = 0; i < 100; i++)
            {
                Change(tree, model, random);
            }

            if (random.Next(4) == 0)
            {
                model = before;
                continue;
            }

            transaction.Commit();
            using ReadTransaction read = environment.BeginRead();
            ReadTree after = read.OpenTree("t");
            after.Count.Should().Be(model.Count);
            foreach ((byte[] key, byte[] value) in model)
            {
                after.Get(key).Should().Equal(value);
            }
        }

        environment.Check().Findings.Should().BeEmpty();
    }

    private static void Change(Tree tree, SortedDictionary<byte[], byte[]> model, Random random)
    {
        byte[] key = BitConverter.GetBytes(random.Next(200));
        byte[]? present = model.GetValueOrDefault(key);
        byte[] expected = random.Next(3) > 0 ? present ?? [] : [.. present ?? [], 0];
        bool isExpected = present is not null && present.Length == expected.Length;
        byte[] value = new byte[random.Next(20) == 0 ? 3000 : random.Next(12)];
        random.NextBytes(value);
        switch (random.Next(4))
        {
            case 0:
                tree.Put(key, value);
                model[key] = value;
                break;
            case 1 when present is null || present.Length == sizeof(long):
                long by = random.Next(-9, 9);
                long sum = unchecked((present is null ? 0 : BitConverter.ToInt64(present)) + by);
                tree.Increment(key, by).Should().Be(sum);
                model[key] = BitConverter.GetBytes(sum);
                break;
            case 2:
                tree.TryDelete(key, expected).Should().Be(isExpected);
                _ = isExpected && model.Remove(key);
                break;
            default:
                tree.TryReplace(key, expected, value).Should().Be(isExpected);
                model[key] = isExpected ? value : present!;
                _ = present is null && model.Remove(key);
                break;
        }
    }
}
