using System.Buffers;
using FluentAssertions;
using Voron.Storage.Typed;
using Xunit;

namespace Voron.Storage.Extensions.Tests.Typed.Tables;

/// <summary>Every codec as that of primary keys, of a unique index and of one that is not.</summary>
public sealed class TableKeyTests
{
    [Fact]
    public void Every_codec_orders_a_table_and_its_indexes()
    {
        string[] texts = ["", "\0", "\0\0", "\0a", "a", "a\0", "a\0b", "aa", "aaa", "ab", "b", "\uFFFD"];
        All(KeyCodec.String, texts);
        All<byte>(KeyCodec.Byte, 0, 1, 127, 128, 255);
        All(KeyCodec.Int16, short.MinValue, (short)-1, (short)0, short.MaxValue);
        All(KeyCodec.UInt16, (ushort)0, (ushort)256, ushort.MaxValue);
        All(KeyCodec.Int32, int.MinValue, -1, 0, 1, int.MaxValue);
        All(KeyCodec.UInt32, 0u, 1u, uint.MaxValue);
        All(KeyCodec.Int64, long.MinValue, -256, 0, 256, long.MaxValue);
        All(KeyCodec.UInt64, 0ul, ulong.MaxValue);
        All(KeyCodec.Int128, Int128.MinValue, Int128.Zero, Int128.MaxValue);
        All(KeyCodec.UInt128, UInt128.MinValue, UInt128.MaxValue);
        All(KeyCodec.Double, double.NaN, double.NegativeInfinity, -1.5, 0, double.Epsilon, double.PositiveInfinity);
        All(KeyCodec.Guid, Guid.Empty, Guid.Parse("00000001-0000-0000-0000-000000000000"), Guid.AllBitsSet);
        All(KeyCodec.DateTime, new DateTime(0, DateTimeKind.Utc), DateTime.UnixEpoch);
        All(KeyCodec.DateTimeOffset, DateTimeOffset.MinValue, DateTimeOffset.UnixEpoch, DateTimeOffset.MaxValue);
        All(KeyCodec.Tuple(KeyCodec.String, KeyCodec.Int32), [.. texts.SelectMany(static text => new[] { (text, -1), (text, 1) })]);
        All(KeyCodec.Tuple(KeyCodec.String, KeyCodec.String), [.. texts.SelectMany(text => texts.Select(other => (text, other)))]);
        All(KeyCodec.Tuple(KeyCodec.Byte, KeyCodec.String, KeyCodec.Byte), [.. texts.Select(static text => ((byte)255, text, (byte)1))]);
        All(new LengthCodec(), "", "b", "aa", "aaa");
    }

    [Fact]
    public void A_prefix_is_the_rows_with_the_same_first_parts()
    {
        string[] texts = ["", "\0", "a", "a\0", "ab", "b"];
        byte[] numbers = [0, 254, 255];
        (byte, string, string)[] keys = [.. from one in numbers from two in texts from three in texts select (one, two, three)];
        var triple = Index.Of("t", KeyCodec.Tuple(KeyCodec.Byte, KeyCodec.String, KeyCodec.String), (Row row) => keys[row.Id]);
        var pair = Index.Unique("p", KeyCodec.Tuple(KeyCodec.String, KeyCodec.Int32), (Row row) => (keys[row.Id].Item2, row.Id));
        TableDefinition<int, Row> table = new("rows", KeyCodec.Int32, new RowCodec(), static row => row.Id) { Indexes = { triple, pair } };
        using StorageEnvironment storage = StorageEnvironment.OpenInMemory();
        using WriteTransaction write = storage.BeginWrite();
        Table<int, Row> rows = write.OpenTable(table);
        for (int id = 0; id < keys.Length; id++)
        {
            rows.Insert(new Row(id));
        }

        foreach ((byte one, string two, _) in keys)
        {
            Ids(rows.By(triple).Prefix(one)).Should().Equal(Enumerable.Range(0, keys.Length).Where(id => keys[id].Item1 == one));
            Ids(rows.By(triple).Prefix(one, two)).Should().Equal(
                Enumerable.Range(0, keys.Length).Where(id => keys[id].Item1 == one && keys[id].Item2 == two));
            Ids(rows.By(pair).Prefix(two)).Should().Equal(Enumerable.Range(0, keys.Length).Where(id => keys[id].Item2 == two));
        }
    }

    [Fact]
    public void A_tuple_codec_of_your_own_has_no_known_parts()
    {
        var own = Index.Of("own", new OwnPair(), (Row row) => (1, row.Id));
        TableDefinition<int, Row> table = new("rows", KeyCodec.Int32, new RowCodec(), static row => row.Id) { Indexes = { own } };
        using StorageEnvironment storage = StorageEnvironment.OpenInMemory();
        using WriteTransaction write = storage.BeginWrite();
        write.OpenTable(table).Invoking(t => t.By(own).Prefix(1)).Should().Throw<InvalidOperationException>().WithMessage("*'own'*");
    }

    private static void All<T>(IKeyCodec<T> codec, params T[] ordered)
    {
        var unique = Index.Unique("unique", codec, (Row row) => ordered[row.Id]);
        var many = Index.Of("of", codec, (Row row) => ordered[row.Id / 2]);
        TableDefinition<int, Row> byNumber = new("numbers", KeyCodec.Int32, new RowCodec(), static row => row.Id)
        {
            Indexes = { unique, many },
        };
        var reverse = Index.Of("reverse", KeyCodec.Int32, static (Row row) => -row.Id);
        TableDefinition<T, Row> byKey = new("keys", codec, new RowCodec(), row => ordered[row.Id]) { Indexes = { reverse, many } };
        using StorageEnvironment storage = StorageEnvironment.OpenInMemory();
        using WriteTransaction write = storage.BeginWrite();
        Table<int, Row> numbers = write.OpenTable(byNumber);
        Table<T, Row> keys = write.OpenTable(byKey);
        int[] ids = [.. Enumerable.Range(0, ordered.Length)];
        foreach (int id in ids.Reverse())
        {
            numbers.Insert(new Row(id));
            keys.Insert(new Row(id));
        }

        numbers.Check().Should().BeEmpty();
        keys.Check().Should().BeEmpty();
        Ids(numbers.By(unique).From(ordered[0])).Should().Equal(ids);
        Ids(numbers.By(many).Reverse()).Should().Equal(ids.Reverse());
        Ids(keys.By(reverse).From(int.MinValue)).Should().Equal(ids.Reverse());
        foreach (int id in ids)
        {
            numbers.By(unique).TryGet(ordered[id], out Row? row).Should().BeTrue();
            row!.Id.Should().Be(id);
            keys.TryGet(ordered[id], out row).Should().BeTrue();
            row!.Id.Should().Be(id);
            Ids(numbers.By(unique).Equal(ordered[id])).Should().Equal(id);
            Ids(numbers.By(many).Equal(ordered[id])).Should().Equal(ids.Where(one => one / 2 == id));
            Ids(keys.By(many).Equal(ordered[id])).Should().Equal(ids.Where(one => one / 2 == id));
            Ids(numbers.By(unique).To(ordered[id])).Should().Equal(ids.Take(id));
            Ids(numbers.By(unique).After(ordered[id])).Should().Equal(ids.Skip(id + 1));
            Ids(numbers.By(many).UpTo(ordered[id]).Reverse()).Should().Equal(ids.Where(one => one / 2 <= id).Reverse());
            foreach (int other in ids)
            {
                Ids(numbers.By(unique).Range(ordered[id], ordered[other])).Should().Equal(ids.Where(one => one >= id && one < other));
            }
        }
    }

    private static List<int> Ids<TKey, TIndexKey>(IndexRange<TKey, Row, TIndexKey> rows)
    {
        List<int> ids = [];
        foreach (Row row in rows)
        {
            ids.Add(row.Id);
        }

        return ids;
    }

    internal sealed record Row(int Id);

    private sealed class RowCodec : IValueCodec<Row>
    {
        public void Encode(Row value, IBufferWriter<byte> destination) => destination.Write(BitConverter.GetBytes(value.Id));

        public Row Decode(ReadOnlySpan<byte> source) => new(BitConverter.ToInt32(source));
    }

    /// <summary>A codec of a user: shorter texts first.</summary>
    private sealed class LengthCodec : IKeyCodec<string>
    {
        public int? FixedBytes => null;

        public int GetMaxBytes(string key) => key.Length + 1;

        public int Encode(string key, Span<byte> destination)
        {
            destination[0] = (byte)key.Length;
            return 1 + System.Text.Encoding.ASCII.GetBytes(key, destination[1..]);
        }

        public string Decode(ReadOnlySpan<byte> source) => System.Text.Encoding.ASCII.GetString(source[1..]);
    }

    private sealed class OwnPair : IKeyCodec<(int First, int Second)>
    {
        private readonly IKeyCodec<(int First, int Second)> _pair = KeyCodec.Tuple(KeyCodec.Int32, KeyCodec.Int32);

        public int? FixedBytes => _pair.FixedBytes;

        public int GetMaxBytes((int First, int Second) key) => _pair.GetMaxBytes(key);

        public int Encode((int First, int Second) key, Span<byte> destination) => _pair.Encode(key, destination);

        public (int First, int Second) Decode(ReadOnlySpan<byte> source) => _pair.Decode(source);
    }
}
