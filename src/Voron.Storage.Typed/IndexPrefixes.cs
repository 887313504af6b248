using Voron.Storage.Typed.Codecs;

namespace Voron.Storage.Typed;

/// <summary>Ranges of an index by the first parts of its keys, which are tuples.</summary>
public static class IndexPrefixes
{
    /// <summary>Rows whose key in the index has this first part.</summary>
    public static IndexRange<TKey, TRow, (T1 First, T2 Second)> Prefix<TKey, TRow, T1, T2>(
        this IndexView<TKey, TRow, (T1 First, T2 Second)> view, T1 first) =>
        view.Index.Keys is PairCodec<T1, T2> pair
            ? Of(view, pair.EncodeFirst(first))
            : Unknown(view);

    /// <summary>Rows whose key in the index has this first part.</summary>
    public static IndexRange<TKey, TRow, (T1 First, T2 Second, T3 Third)> Prefix<TKey, TRow, T1, T2, T3>(
        this IndexView<TKey, TRow, (T1 First, T2 Second, T3 Third)> view, T1 first) =>
        view.Index.Keys is TripleCodec<T1, T2, T3> triple
            ? Of(view, triple.EncodeFirst(first))
            : Unknown(view);

    /// <summary>Rows whose key in the index has these first two parts.</summary>
    public static IndexRange<TKey, TRow, (T1 First, T2 Second, T3 Third)> Prefix<TKey, TRow, T1, T2, T3>(
        this IndexView<TKey, TRow, (T1 First, T2 Second, T3 Third)> view, T1 first, T2 second) =>
        view.Index.Keys is TripleCodec<T1, T2, T3> triple
            ? Of(view, [.. triple.EncodeFirst(first), .. triple.EncodeSecond(second)])
            : Unknown(view);

    private static IndexRange<TKey, TRow, TIndexKey> Of<TKey, TRow, TIndexKey>(
        IndexView<TKey, TRow, TIndexKey> view, byte[] prefix) => new(view, prefix, Behind(prefix), isReversed: false);

    /// <summary>The first bytes above all that begin with these; null when there are none.</summary>
    internal static byte[]? Behind(ReadOnlySpan<byte> prefix)
    {
        int length = prefix.LastIndexOfAnyExcept((byte)0xFF) + 1;
        if (length == 0)
        {
            return null;
        }

        byte[] behind = prefix[..length].ToArray();
        behind[^1]++;
        return behind;
    }

    private static IndexRange<TKey, TRow, TIndexKey> Unknown<TKey, TRow, TIndexKey>(IndexView<TKey, TRow, TIndexKey> view)
    {
        Tables.Throw.NoTuple(view.Index.Name);
        return default;
    }
}
