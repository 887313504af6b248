using Voron.Storage.Format;
using Voron.Storage.Structures;

namespace Voron.Storage.Checks;

/// <summary>
/// Checks the blocks of a multi-value tree, in the order of their keys: each well formed, and all pairs strictly ascending.
/// </summary>
internal sealed class PairCheck(int valueBytes, PageNumber root) : BlockCheck
{
    private byte[] _last = [];
    private bool _isFirst = true;

    /// <inheritdoc/>
    internal override long Take(byte[] key, ReadOnlySpan<byte> value, byte[]? high, out string? problem)
    {
        try
        {
            int keyBytes = MultiKey.LengthIn(key, root);
            PackedValues values = new(value, valueBytes, root);
            long count = 1 + values.Count;
            bool isOfLength = valueBytes == TreeShape.AnyLength || key.Length - keyBytes == valueBytes;
            problem = value.Length > MultiWriter.MostBytes || !isOfLength ? "a block is too long, or has values of another length"
                : !IsNext(key) || !AreInOrder(key.AsSpan(0, keyBytes), values) ? "its pairs are not in order"
                : high is not null && _last.AsSpan().SequenceCompareTo(high) >= 0 ? "a pair lies outside the bounds that the parent sets"
                : null;
            return count;
        }
        catch (StorageCorruptException)
        {
            problem = "its bytes are no block of values";
            return 0;
        }
    }

    private bool AreInOrder(ReadOnlySpan<byte> keyWithEnd, PackedValues values)
    {
        bool areInOrder = true;
        for (int at = 0; at < values.Bytes.Length;)
        {
            areInOrder &= IsNext([.. keyWithEnd, .. values.Take(ref at)]);
        }

        return areInOrder;
    }

    private bool IsNext(byte[] pair)
    {
        bool isNext = _isFirst || pair.AsSpan().SequenceCompareTo(_last) > 0;
        _last = pair;
        _isFirst = false;
        return isNext;
    }
}
