using System.Globalization;
using Etcdserverpb;
using Google.Protobuf;

namespace Voron.Storage.Replication.Etcd;

/// <summary>
/// The keys of a log: <c>{name}/log/{position}</c> for each entry, <c>{name}/head</c> with the last position there ever was, and
/// <c>{name}/first</c> with the first that was not trimmed. Numbers have a fixed width, so keys and values compare as numbers do.
/// </summary>
internal sealed class EtcdKeys
{
    private const string Width = "D19";
    private const int Digits = 19;

    private readonly string _name;
    private readonly string _entries;

    internal EtcdKeys(string name)
    {
        _name = name;
        _entries = name + "/log/";
        Head = ByteString.CopyFromUtf8(name + "/head");
        First = ByteString.CopyFromUtf8(name + "/first");

        // The character behind the slash: the first key that is none of an entry.
        EntriesEnd = ByteString.CopyFromUtf8(name + "/log0");
    }

    internal ByteString Head { get; }

    internal ByteString First { get; }

    internal ByteString EntriesEnd { get; }

    internal ByteString Entry(long position) =>
        ByteString.CopyFromUtf8(_entries + position.ToString(Width, CultureInfo.InvariantCulture));

    internal static ByteString Number(long value) => ByteString.CopyFromUtf8(value.ToString(Width, CultureInfo.InvariantCulture));

    /// <summary>The position in the key of an entry.</summary>
    internal static long PositionOf(ByteString key) => NumberOf(key.Span[Math.Max(0, key.Length - Digits)..]);

    /// <summary>The bounds in an answer whose first two ranges were <see cref="First"/> and <see cref="Head"/>.</summary>
    internal LogBounds BoundsIn(TxnResponse answer) =>
        NumberIn(answer.Responses[0]) is { } first && NumberIn(answer.Responses[1]) is { } last
            ? new LogBounds(first, last)
            : throw new InvalidDataException($"The keys of the log '{_name}' are gone.");

    /// <summary>The number that a range of one key has found; null if there is no such key.</summary>
    internal static long? NumberIn(ResponseOp answer) =>
        answer.ResponseRange.Kvs is { Count: > 0 } found ? NumberOf(found[0].Value.Span) : null;

    internal static RequestOp Get(ByteString key) => new() { RequestRange = new RangeRequest { Key = key } };

    internal static RequestOp Put(ByteString key, ByteString value) => new() { RequestPut = new PutRequest { Key = key, Value = value } };

    internal static Compare IsMissing(ByteString key) => new()
    {
        Key = key,
        Target = Compare.Types.CompareTarget.Version,
        Result = Compare.Types.CompareResult.Equal,
        Version = 0,
    };

    internal static Compare ValueIs(ByteString key, Compare.Types.CompareResult result, ByteString value) => new()
    {
        Key = key,
        Target = Compare.Types.CompareTarget.Value,
        Result = result,
        Value = value,
    };

    private static long NumberOf(ReadOnlySpan<byte> digits) =>
        digits.Length == Digits && long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out long value)
            ? value
            : throw new InvalidDataException("A key or value of the log is no number of 19 digits: something else writes there.");
}
