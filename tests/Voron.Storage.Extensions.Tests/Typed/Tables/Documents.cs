using System.Buffers;
using System.Text;
using System.Text.Json;
using Voron.Storage.Typed;

namespace Voron.Storage.Extensions.Tests.Typed.Tables;

/// <summary>A table of JSON documents that are indexed as they lie, with an index of each kind.</summary>
internal static class Documents
{
    internal static readonly RawIndex ByName = RawIndex.Unique("name", static (row, key) => Find(row, "name"u8, 0, key));

    internal static readonly RawIndex ByCity = RawIndex.Of("city", static (row, key) => Find(row, "city"u8, 0, key));

    internal static readonly RawIndex ByTag = RawIndex.Many("tag", static (row, number, key) => Find(row, "tags"u8, number, key));

    internal static readonly RawIndex ByEnd = RawIndex.Expiry(static row =>
    {
        Span<byte> text = stackalloc byte[32];
        int length = Find(row, "end"u8, 0, text);
        return length < 0 ? null : DateTimeOffset.UnixEpoch.AddSeconds(int.Parse(text[..length]));
    });

    internal static readonly RawTableDefinition Table = new("documents", ByName, ByCity, ByTag, ByEnd);

    internal static byte[] Row(string? name, string? city = null, int? end = null, params string[] tags)
    {
        ArrayBufferWriter<byte> buffer = new();
        using (Utf8JsonWriter json = new(buffer))
        {
            json.WriteStartObject();
            Write(json, "name", name);
            Write(json, "city", city);
            Write(json, "end", end?.ToString());
            json.WriteStartArray("tags");
            foreach (string tag in tags)
            {
                json.WriteStringValue(tag);
            }

            json.WriteEndArray();
            json.WriteEndObject();
        }

        return buffer.WrittenSpan.ToArray();
    }

    internal static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text);

    internal static List<string> Keys(RawIndexRange range)
    {
        List<string> keys = [];
        foreach (RawIndexEntry entry in range)
        {
            keys.Add(Encoding.UTF8.GetString(entry.Key));
        }

        return keys;
    }

    private static void Write(Utf8JsonWriter json, string property, string? value)
    {
        if (value is not null)
        {
            json.WriteString(property, value);
        }
    }

    /// <summary>Copies one of the strings of a property; −1 when there is none.</summary>
    private static int Find(ReadOnlySpan<byte> row, ReadOnlySpan<byte> property, int number, Span<byte> value)
    {
        Utf8JsonReader json = new(row);
        while (json.Read())
        {
            if (json.TokenType != JsonTokenType.PropertyName || !json.ValueTextEquals(property))
            {
                continue;
            }

            while (json.Read() && json.TokenType is JsonTokenType.StartArray or JsonTokenType.String)
            {
                if (json.TokenType == JsonTokenType.String && number-- == 0)
                {
                    return json.CopyString(value);
                }
            }

            return -1;
        }

        return -1;
    }
}
