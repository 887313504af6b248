using System.Buffers;
using System.Text.Json;
using System.Text.Json.Serialization;
using FluentAssertions;
using Voron.Storage.Typed;
using Xunit;

namespace Voron.Storage.Extensions.Tests.Typed;

public sealed partial class TypedTreeTests : IDisposable
{
    private static readonly TreeDefinition<(string Customer, int Number), Order> Orders = new(
        "orders", KeyCodec.Tuple(KeyCodec.String, KeyCodec.Int32), new OrderCodec());

    private readonly StorageEnvironment _storage = StorageEnvironment.OpenInMemory();

    public void Dispose() => _storage.Dispose();

    [Fact]
    public void Entries_go_in_and_come_out_in_the_order_of_keys()
    {
        using (WriteTransaction write = _storage.BeginWrite())
        {
            Tree<(string Customer, int Number), Order> orders = write.OpenTree(Orders);
            orders.Put(("bob", 1), new Order("tea", 2));
            orders.Put(("ada", 10), new Order("ink", 3));
            orders.Put(("ada", -1), new Order("pen", 1));
            orders.TryAdd(("ada", 10), new Order("no", 0)).Should().BeFalse();
            orders.TryAdd(("eve", 5), new Order("gum", 1)).Should().BeTrue();
            orders.Append(("zoe", 0), new Order("sea", 9));
            orders.Count.Should().Be(5);
            orders.TryGet(("ada", 10), out Order? mine).Should().BeTrue();
            mine.Should().Be(new Order("ink", 3));
            orders.Delete(("eve", 5)).Should().BeTrue();
            orders.Contains(("eve", 5)).Should().BeFalse();
            Keys(orders.GetEnumerator()).Should().Equal("ada -1", "ada 10", "bob 1", "zoe 0");
            write.Commit();
        }

        using ReadTransaction read = _storage.BeginRead();
        ReadTree<(string Customer, int Number), Order> tree = read.OpenTree(Orders);
        Keys(tree.Range(("ada", 0), ("bob", 2)).GetEnumerator()).Should().Equal("ada 10", "bob 1");
        Keys(tree.Range(("ada", 0), ("bob", 2)).Reverse().GetEnumerator()).Should().Equal("bob 1", "ada 10");
        Keys(tree.From(("bob", 1)).GetEnumerator()).Should().Equal("bob 1", "zoe 0");
        Keys(tree.After(("bob", 1)).GetEnumerator()).Should().Equal("zoe 0");
        Keys(tree.To(("ada", 10)).GetEnumerator()).Should().Equal("ada -1");
        Keys(tree.Reverse().GetEnumerator()).Should().Equal("zoe 0", "bob 1", "ada 10", "ada -1");
        tree.TryGetFirst(out var first, out Order? pen).Should().BeTrue();
        (first, pen).Should().Be((("ada", -1), new Order("pen", 1)));
        tree.TryGetLast(out var last, out _).Should().BeTrue();
        last.Should().Be(("zoe", 0));
        tree.TryGetFloor(("bob", 0), out var floor, out _).Should().BeTrue();
        floor.Should().Be(("ada", 10));
        tree.TryGetCeiling(("bob", 2), out var ceiling, out _).Should().BeTrue();
        ceiling.Should().Be(("zoe", 0));
        tree.TryGetCeiling(("zoe", 1), out _, out _).Should().BeFalse();
        tree.TryGet(("nobody", 1), out Order? none).Should().BeFalse();
        none.Should().BeNull();
    }

    [Fact]
    public void A_range_is_deleted_by_its_keys()
    {
        using WriteTransaction write = _storage.BeginWrite();
        Tree<long, Order> orders = write.OpenTree(new TreeDefinition<long, Order>("numbers", KeyCodec.Int64, new OrderCodec()));
        for (long number = -50; number < 50; number++)
        {
            orders.Append(number, new Order("x", (int)number));
        }

        orders.DeleteRange(-10, 10).Should().Be(20);
        orders.Count.Should().Be(80);
    }

    [Fact]
    public void Long_keys_and_values_need_no_room_in_the_frame()
    {
        string name = new('n', 600);
        using WriteTransaction write = _storage.BeginWrite();
        Tree<(string Customer, int Number), Order> orders = write.OpenTree(Orders);
        orders.Put((name, 1), new Order(new string('v', 3_000_000), 1));
        orders.Put((name, 2), new Order("short", 2));
        orders.TryGet((name, 1), out Order? order).Should().BeTrue();
        order!.What.Should().HaveLength(3_000_000);
        orders.TryGet((name, 2), out order).Should().BeTrue();
        order.Should().Be(new Order("short", 2));
        orders.Invoking(one => one.Put((new string('n', 5_000), 1), new Order("x", 1))).Should().Throw<KeyTooLongException>();
    }

    [Fact]
    public void A_missing_tree_is_missing_and_a_stale_handle_is_refused()
    {
        Tree<(string Customer, int Number), Order> stale;
        using (ReadTransaction read = _storage.BeginRead())
        {
            read.TryOpenTree(Orders, out _).Should().BeFalse();
            read.Invoking(static one => one.OpenTree(Orders)).Should().Throw<TreeNotFoundException>();
        }

        using (WriteTransaction write = _storage.BeginWrite())
        {
            stale = write.OpenTree(Orders);
        }

        stale.Invoking(static one => one.Put(("a", 1), new Order("x", 1))).Should().Throw<ObjectDisposedException>();
        default(Tree<(string Customer, int Number), Order>).Invoking(static one => one.Delete(("a", 1))).Should()
            .Throw<ObjectDisposedException>();
    }

    [Fact]
    public void Keys_and_values_of_fixed_size_allocate_no_more_than_bytes_do()
    {
        TreeDefinition<long, long> numbers = new("numbers", KeyCodec.Int64, new NumberCodec());
        using WriteTransaction write = _storage.BeginWrite();
        Tree<long, long> tree = write.OpenTree(numbers);
        Tree plain = tree.Bytes;
        byte[] bytes = new byte[sizeof(long)];

        long typed = Least(i =>
        {
            tree.Put(i, i);
            return tree.TryGet(i, out long found) && found == i;
        });
        long raw = Least(i =>
        {
            System.Buffers.Binary.BinaryPrimitives.WriteInt64BigEndian(bytes, i);
            plain.Put(bytes, bytes);
            return plain.TryGet(bytes, out ReadOnlySpan<byte> found) && found.Length == sizeof(long);
        });
        typed.Should().Be(raw);
    }

    /// <summary>Managed bytes of 500 rounds when everything is warm.</summary>
    private static long Least(Func<long, bool> round)
    {
        long least = long.MaxValue;
        for (int attempt = 0; attempt < 6; attempt++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (long i = 0; i < 500; i++)
            {
                if (!round(i))
                {
                    throw new InvalidOperationException($"Entry {i} is not there.");
                }
            }

            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return least;
    }

    private static List<string> Keys(TypedEnumerator<(string Customer, int Number), Order> entries)
    {
        List<string> keys = [];
        while (entries.MoveNext())
        {
            var (key, _) = entries.Current;
            keys.Add($"{key.Customer} {key.Number}");
        }

        return keys;
    }

    private sealed class OrderCodec : IValueCodec<Order>
    {
        public void Encode(Order value, IBufferWriter<byte> destination)
        {
            using Utf8JsonWriter writer = new(destination);
            JsonSerializer.Serialize(writer, value, Json.Default.Order);
        }

        public Order Decode(ReadOnlySpan<byte> source) => JsonSerializer.Deserialize(source, Json.Default.Order)!;
    }

    private sealed class NumberCodec : IValueCodec<long>
    {
        public void Encode(long value, IBufferWriter<byte> destination)
        {
            BitConverter.TryWriteBytes(destination.GetSpan(sizeof(long)), value);
            destination.Advance(sizeof(long));
        }

        public long Decode(ReadOnlySpan<byte> source) => BitConverter.ToInt64(source);
    }

    internal sealed record Order(string What, int Count);

    [JsonSerializable(typeof(Order))]
    private sealed partial class Json : JsonSerializerContext;
}
