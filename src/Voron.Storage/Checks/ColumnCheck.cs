using Voron.Storage.Format;
using Voron.Storage.Structures;

namespace Voron.Storage.Checks;

/// <summary>
/// Checks the blocks of a fixed-size tree: each well formed, all keys strictly ascending, none below the key of its row, and each in the
/// one form that equal keys have.
/// </summary>
internal sealed class ColumnCheck(TreeShape shape) : BlockCheck
{
    private readonly byte[] _key = new byte[FixedKey.MostBytes];
    private byte[] _last = [];

    /// <inheritdoc/>
    internal override long Take(byte[] key, ReadOnlySpan<byte> value, byte[]? high, out string? problem)
    {
        if (key.Length != shape.KeyBytes || !FixedColumns.TryOpen(value, shape, out FixedColumns block))
        {
            problem = "its bytes are no block of columns";
            return 0;
        }

        bool areInOrder = _last.Length == 0 || _last.AsSpan().SequenceCompareTo(key) < 0;
        bool areNormal = true;
        for (int i = 0; i < block.Count; i++)
        {
            ReadOnlySpan<byte> next = _key.AsSpan(0, block.WriteKey(i, _key));
            areInOrder &= i == 0 ? next.SequenceCompareTo(key) >= 0 : next.SequenceCompareTo(_last) > 0;
            areNormal &= FixedKey.IsNormal(shape.KeyKind, next);
            _last = next.ToArray();
        }

        problem = !areInOrder ? "its keys are not in order"
            : !areNormal ? "a key is not in the form that its equals have"
            : high is not null && _last.AsSpan().SequenceCompareTo(high) >= 0 ? "a key lies outside the bounds that the parent sets"
            : null;
        return block.Count;
    }
}
