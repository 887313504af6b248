using System.Buffers;
using System.Text.Json;
using System.Text.Json.Serialization;
using Voron.Storage.Typed;

namespace Voron.Storage.Extensions.Tests.Typed.Tables;

internal sealed record User(long Id, string? Email, string City, int Age, string[] Tags, DateTimeOffset? Expires = null)
{
    public override string ToString() => $"{Id} {Email} {City} {Age} {string.Join('+', Tags)} {Expires:O}";
}

/// <summary>A table with an index of each kind.</summary>
internal static partial class Users
{
    internal static readonly Index<User, string> ByEmail = Index.Unique(
        "email", KeyCodec.String, static (User u, out string k) => (k = u.Email!) is not null);

    internal static readonly Index<User, (string City, int Age)> ByCityAge = Index.Of(
        "city-age", KeyCodec.Tuple(KeyCodec.String, KeyCodec.Int32), static (User u) => (u.City, u.Age));

    internal static readonly Index<User, string> ByTag = Index.Many("tag", KeyCodec.String, static (User u) => u.Tags);

    internal static readonly Index<User, DateTimeOffset> ByExpiry = Index.Expiry(static (User u) => u.Expires);

    internal static readonly TableDefinition<long, User> Table = With(ByEmail, ByCityAge, ByTag, ByExpiry);

    /// <summary>The same table with other indexes: another version of the program.</summary>
    internal static TableDefinition<long, User> With(params RowIndex<User>[] indexes)
    {
        TableDefinition<long, User> table = new("users", KeyCodec.Int64, new Codec(), static u => u.Id);
        foreach (RowIndex<User> index in indexes)
        {
            table.Indexes.Add(index);
        }

        return table;
    }

    internal static User New(long id, string? email = null, string city = "Oslo", int age = 30, params string[] tags) =>
        new(id, email, city, age, tags);

    internal static List<long> Ids(RowRange<long, User> rows)
    {
        List<long> ids = [];
        foreach (User row in rows)
        {
            ids.Add(row.Id);
        }

        return ids;
    }

    internal static List<long> Ids<TIndexKey>(IndexRange<long, User, TIndexKey> rows)
    {
        List<long> ids = [];
        foreach (User row in rows)
        {
            ids.Add(row.Id);
        }

        List<long> keys = [];
        foreach (long key in rows.Keys)
        {
            keys.Add(key);
        }

        return ids.SequenceEqual(keys) ? ids : throw new InvalidOperationException("Keys are not those of the rows.");
    }

    internal sealed class Codec : IValueCodec<User>
    {
        public void Encode(User value, IBufferWriter<byte> destination)
        {
            using Utf8JsonWriter writer = new(destination);
            JsonSerializer.Serialize(writer, value, UserJson.Default.User);
        }

        public User Decode(ReadOnlySpan<byte> source) => JsonSerializer.Deserialize(source, UserJson.Default.User)!;
    }

    [JsonSerializable(typeof(User))]
    private sealed partial class UserJson : JsonSerializerContext;
}
