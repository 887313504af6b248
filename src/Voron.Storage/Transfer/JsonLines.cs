using System.Text;
using System.Text.Json;

namespace Voron.Storage.Transfer;

/// <summary>JSON lines: each line is an object, which becomes the value as it is; one property of it is the key.</summary>
internal sealed class JsonLines : IInputFormat
{
    private static readonly byte[] ByteOrderMark = [0xEF, 0xBB, 0xBF];

    private readonly LoadTarget _target;
    private readonly byte[] _tree;
    private readonly string _key;
    private readonly byte[][] _path;
    private byte[] _found = [];
    private int _foundBytes;
    private bool _isOpen;

    internal JsonLines(LoadTarget target, byte[] tree, string key)
    {
        _target = target;
        _tree = tree;
        _key = key;
        _path = [.. key.Split('.').Select(Encoding.UTF8.GetBytes)];
    }

    public int LongestPartBytes => 16 << 20;

    public long Sections => 1;

    public long SubDatabaseRecords => 0;

    public IReadOnlyList<string> Warnings => [];

    public int Take(ReadOnlySpan<byte> part, bool isEnd, long line)
    {
        if (!isEnd)
        {
            Throw.BadLine(line, $"it is longer than {LongestPartBytes >> 20} MiB, the longest object that JSON lines may have here.");
        }

        ReadOnlySpan<byte> text = line == 1 && part.StartsWith(ByteOrderMark) ? part[ByteOrderMark.Length..] : part;
        if (text.Trim(" \t"u8).IsEmpty)
        {
            return 0;
        }

        ReadKey(text, line);
        if (_foundBytes > _target.MaxKeyBytes)
        {
            Throw.KeyTooLong(line, _foundBytes, _target.MaxKeyBytes);
        }

        if (!_isOpen)
        {
            _target.OpenTree(_tree);
            _isOpen = true;
        }

        _target.Put(_found.AsSpan(0, _foundBytes), text, line);
        return 0;
    }

    public void End(long line)
    {
    }

    private void ReadKey(ReadOnlySpan<byte> text, long line)
    {
        bool isFound = false;
        try
        {
            Utf8JsonReader reader = new(text);
            reader.Read();
            if (reader.TokenType != JsonTokenType.StartObject)
            {
                Throw.BadLine(line, "it is not a JSON object. Export one document in each line, not an array of them.");
            }

            isFound = TryFind(ref reader, 0, line);
            reader.Read();
        }
        catch (Exception error) when (error is JsonException or InvalidOperationException)
        {
            Throw.BadJson(line, error);
        }

        if (!isFound)
        {
            Throw.BadLine(line, $"the object has no property '{_key}'. LoadOptions.JsonKey (--key) names the one that is the key.");
        }
    }

    /// <summary>Reads an object to its end, and takes the key in it.</summary>
    private bool TryFind(ref Utf8JsonReader reader, int part, long line)
    {
        bool isFound = false;
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            bool isPart = !isFound && reader.ValueTextEquals(_path[part]);
            reader.Read();
            if (isPart && part == _path.Length - 1)
            {
                TakeKey(ref reader, line);
                isFound = true;
            }
            else if (isPart && reader.TokenType == JsonTokenType.StartObject)
            {
                isFound = TryFind(ref reader, part + 1, line);
            }
            else
            {
                reader.Skip();
            }
        }

        return isFound;
    }

    private void TakeKey(ref Utf8JsonReader reader, long line)
    {
        if (reader.TokenType is not (JsonTokenType.String or JsonTokenType.Number))
        {
            Throw.BadLine(line, $"the property '{_key}' is neither text nor a number. A dot leads to an inner property: '{_key}.name'.");
        }

        if (_found.Length < reader.ValueSpan.Length)
        {
            _found = new byte[Math.Max(256, reader.ValueSpan.Length)];
        }

        if (reader.TokenType == JsonTokenType.String)
        {
            _foundBytes = reader.CopyString(_found);
            return;
        }

        reader.ValueSpan.CopyTo(_found);
        _foundBytes = reader.ValueSpan.Length;
    }
}
