using System.Globalization;
using System.Text;
using Voron.Storage.Format;

namespace Voron.Storage.Transfer;

/// <summary>
/// The header of a section: lines of a keyword, an equals sign and a value, from <c>VERSION=3</c> to <c>HEADER=END</c>. Nothing is kept
/// from one section to the next. Keywords that are about another store's files or limits are passed over.
/// </summary>
internal sealed class DumpHeader(long line)
{
    /// <summary>How a dump begins; no other version is in use.</summary>
    private const string SupportedVersion = "3";

    /// <summary>The length of the values, where LMDB has no word for it: of no pairs, of empty values, or of a fixed-size tree.</summary>
    private const string ValueLength = "voron_value_bytes";

    /// <summary>The type of the keys of a fixed-size tree, before the length of its values.</summary>
    private const string KeyType = "voron_key_type";

    private string _type = "btree";
    private bool _hasKeys;
    private bool _isOfMdbx;

    /// <summary>What precedes a tree's name.</summary>
    internal static ReadOnlySpan<byte> Database => "database="u8;

    /// <summary>What precedes a tree's name in hexadecimal digits, for one that a line cannot hold; it has precedence.</summary>
    internal static ReadOnlySpan<byte> NameBytes => "voron_database="u8;

    /// <summary>The line that it begins in.</summary>
    internal long Line { get; } = line;

    /// <summary>Null for the section of a database without a name.</summary>
    internal byte[]? Name { get; private set; }

    internal bool IsPrint { get; private set; }

    /// <summary>Whether a key of the section may have several values, which are in no order.</summary>
    internal bool HasDuplicates { get; private set; }

    /// <summary>Whether a key of the section may have several values, sorted and all different: it is one of a multi-value tree.</summary>
    internal bool IsMulti { get; private set; }

    /// <summary>Whether all values of such a section have the same length.</summary>
    internal bool HasOneLength { get; private set; }

    /// <summary>That length, if the header has it.</summary>
    internal ushort? ValueBytes { get; private set; }

    /// <summary>The type of the keys of the section, whose tree is then a fixed-size one.</summary>
    internal FixedKeyKind KeyKind { get; private set; }

    /// <summary>
    /// Whether a second space can begin a further value of the key before it. In printed text of others it begins a key.
    /// </summary>
    internal bool MayBeConcise => (IsMulti || HasDuplicates) && (!IsPrint || _isOfMdbx);

    /// <summary>Whether mdb_dump of LMDB wrote it, which leaves backslashes as they are in printed text.</summary>
    internal bool IsOfLmdb { get; private set; }

    /// <summary>The flag by which the source orders its keys or values otherwise than by their bytes; null if it does not.</summary>
    internal string? OtherOrder { get; private set; }

    /// <summary>The lines about the values of a multi-value tree, or the entries of a fixed-size tree; none of another one.</summary>
    internal static IEnumerable<string> ShapeOf(TreeRecord record)
    {
        if (record.Kind == TreeKind.Fixed)
        {
            yield return $"{KeyType}={record.KeyKind}";
            yield return string.Create(CultureInfo.InvariantCulture, $"{ValueLength}={record.ValueBytes}");
        }

        if (record.Kind != TreeKind.Multi)
        {
            yield break;
        }

        yield return "duplicates=1";
        yield return "dupsort=1";
        bool hasOneLength = record.ValueBytes != TreeShape.AnyLength;
        if (hasOneLength && record.ValueBytes > 0)
        {
            yield return "dupfixed=1";
        }

        if (hasOneLength && (record.ValueBytes == 0 || record.EntryCount == 0))
        {
            yield return string.Create(CultureInfo.InvariantCulture, $"{ValueLength}={record.ValueBytes}");
        }
    }

    /// <summary>Reads a line; returns true at the end of the header.</summary>
    internal bool Add(ReadOnlySpan<byte> text, long line)
    {
        int at = text.IndexOf((byte)'=');
        if (at < 0)
        {
            Throw.BadLine(line, $"'{KeyText.Of(text)}' is no line of a header, which is a keyword, '=' and a value. "
                + "Is the input a dump? For lines of JSON set LoadOptions.JsonKey (--jsonl).");
        }

        ReadOnlySpan<byte> value = text[(at + 1)..];
        if (text.StartsWith(NameBytes))
        {
            SetNameBytes(value, line);
            return false;
        }

        string word = Encoding.UTF8.GetString(text[..at]);
        if (word == "database")
        {
            Name ??= value.IsEmpty ? null : value.ToArray();
            return false;
        }

        return Set(word, Encoding.UTF8.GetString(value), line);
    }

    private bool Set(string word, string value, long line)
    {
        switch (word)
        {
            case "HEADER":
                CheckKeys(line);
                return true;
            case "VERSION" when value != SupportedVersion:
                Throw.BadLine(line, $"the dump has version {value}; only version {SupportedVersion} is known. Dump with a current tool.");
                break;
            case "format":
                IsPrint = value == "print" || (value == "bytevalue" ? false : IsUnknown(word, value, line));
                break;
            case "type":
                _type = value is "btree" or "hash" or "recno" or "queue" or "heap" || IsUnknown(word, value, line) ? value : _type;
                break;
            case "keys":
                _hasKeys = value == "1";
                break;
            case "duplicates":
                HasDuplicates = value == "1";
                break;
            case "dupsort" when value == "1":
                IsMulti = true;
                break;
            case "dupfix" or "dupfixed" when value == "1":
                HasOneLength = true;
                break;
            case ValueLength:
                ValueBytes = ushort.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out ushort bytes)
                    && bytes <= (KeyKind == FixedKeyKind.None ? TreeShape.MaxValueBytes : TreeShape.MaxFixedBytes) ? bytes : null;
                break;
            case KeyType:
                KeyKind = Enum.TryParse(value, out FixedKeyKind kind) && Enum.IsDefined(kind) && kind != FixedKeyKind.None
                    ? kind : UnknownKeys(value, line);
                break;
            case "reversekey" or "integerkey" or "integerdup" or "reversedup" when value == "1":
                OtherOrder = word;
                break;
            case "geometry":
                _isOfMdbx = true;
                break;
            case "maxreaders" or "mapaddr":
                IsOfLmdb = true;
                break;
        }

        return false;
    }

    /// <summary>The record numbers of these kinds are keys only if the dump has them.</summary>
    private void CheckKeys(long line)
    {
        if (_type is "recno" or "queue" or "heap" && !_hasKeys)
        {
            Throw.BadLine(line, $"the section is of type '{_type}' and has no lines with keys. Dump it with 'db_dump -k'.");
        }
    }

    private void SetNameBytes(ReadOnlySpan<byte> digits, long line)
    {
        byte[] name = new byte[digits.Length / 2];
        if (digits.Length % 2 != 0 || DumpText.DecodeHex(digits, name, out _) != digits.Length)
        {
            Throw.BadLine(line, "the name of the tree is not an even number of hexadecimal digits.");
        }

        Name = name.Length == 0 ? null : name;
    }

    private static FixedKeyKind UnknownKeys(string value, long line)
    {
        Throw.BadLine(line, $"no fixed-size tree has keys of type '{value}'. Load with the version that dumped, or a later one.");
        return FixedKeyKind.None;
    }

    private static bool IsUnknown(string word, string value, long line)
    {
        Throw.BadLine(line, $"'{word}={value}' is not known. Dump in format print or bytevalue, and from a tree or hash.");
        return false;
    }
}
