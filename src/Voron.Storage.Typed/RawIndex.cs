using Voron.Storage.Typed.Tables;

namespace Voron.Storage.Typed;

/// <summary>
/// An index over rows of bytes. Its keys are bytes too, in their unsigned order: selectors copy them out of the row, or bring them into
/// order as a codec of <see cref="KeyCodec"/> does.
/// </summary>
public sealed class RawIndex : IIndexShape
{
    /// <summary>The codec that is stored: opened with a typed definition, the table is refused.</summary>
    internal const string CodecName = "bytes";

    private const int UsualKeyBytes = 512;

    private readonly RawSelector? _one;
    private readonly RawManySelector? _many;
    private readonly int _maxKeyBytes;

    private RawIndex(string name, IndexKind kind, RawSelector? one, RawManySelector? many, int maxKeyBytes)
    {
        TableNames.CheckIndex(name);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(maxKeyBytes);
        Name = name;
        Kind = kind;
        _one = one;
        _many = many;
        _maxKeyBytes = maxKeyBytes;
    }

    /// <summary>The name of the index within its table. It is stored: <c>table/name</c> is the name of its tree.</summary>
    public string Name { get; }

    /// <summary>True when no two rows may have the same key.</summary>
    public bool IsUnique => Kind == IndexKind.Unique;

    IndexKind IIndexShape.Kind => Kind;

    string IIndexShape.Codec => CodecName;

    internal IndexKind Kind { get; }

    /// <summary>An index in which no two rows have the same key.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="selector">Writes the key of a row.</param>
    /// <param name="maxKeyBytes">Room that the selector gets.</param>
    public static RawIndex Unique(string name, RawSelector selector, int maxKeyBytes = UsualKeyBytes)
    {
        ArgumentNullException.ThrowIfNull(selector);
        return new(name, IndexKind.Unique, selector, null, maxKeyBytes);
    }

    /// <summary>An index in which rows may share a key.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="selector">Writes the key of a row.</param>
    /// <param name="maxKeyBytes">Room that the selector gets.</param>
    public static RawIndex Of(string name, RawSelector selector, int maxKeyBytes = UsualKeyBytes)
    {
        ArgumentNullException.ThrowIfNull(selector);
        return new(name, IndexKind.Of, selector, null, maxKeyBytes);
    }

    /// <summary>An index in which a row has any number of keys.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="selector">Writes the keys of a row, one after the other.</param>
    /// <param name="maxKeyBytes">Room that the selector gets for each.</param>
    public static RawIndex Many(string name, RawManySelector selector, int maxKeyBytes = UsualKeyBytes)
    {
        ArgumentNullException.ThrowIfNull(selector);
        return new(name, IndexKind.Many, null, selector, maxKeyBytes);
    }

    /// <summary>
    /// An index by the time at which a row expires (null: never), for <c>SweepExpiredAsync</c>. Its keys are those of
    /// <see cref="KeyCodec.DateTimeOffset"/>. A table has at most one.
    /// </summary>
    public static RawIndex Expiry(Func<ReadOnlySpan<byte>, DateTimeOffset?> selector, string name = "expiry")
    {
        ArgumentNullException.ThrowIfNull(selector);
        IKeyCodec<DateTimeOffset> codec = KeyCodec.DateTimeOffset;
        return new(
            name,
            IndexKind.Expiry,
            (row, key) => selector(row) is { } time ? codec.Encode(time, key) : -1,
            null,
            codec.GetMaxBytes(default));
    }

    object IIndexShape.Decode(ReadOnlySpan<byte> key) => Text(key);

    /// <summary>Bytes for a message.</summary>
    internal static string Text(ReadOnlySpan<byte> key) => $"0x{Convert.ToHexString(key)}";

    /// <summary>Adds the keys that a row has in this index, the index at this place of its table.</summary>
    internal void AddKeys(ReadOnlySpan<byte> row, int ordinal, KeyList keys)
    {
        if (_one is not null)
        {
            Add(_one(row, keys.Room(_maxKeyBytes)), ordinal, keys);
            return;
        }

        int first = keys.Count;
        for (int number = 0; Add(_many!(row, number, keys.Room(_maxKeyBytes)), ordinal, keys); number++)
        {
        }

        keys.SortFrom(first);
    }

    private bool Add(int length, int ordinal, KeyList keys)
    {
        if (length < -1 || length > _maxKeyBytes)
        {
            Throw.BadKeyLength(Name, length, _maxKeyBytes);
        }

        if (length >= 0)
        {
            keys.Take(ordinal, length);
        }

        return length >= 0;
    }
}
