using Voron.Storage.Format;
using Voron.Storage.Trees;

namespace Voron.Storage.Structures;

/// <summary>Up to where the blocks of a multi-value tree reach: to their last pair.</summary>
internal sealed class MultiSpan(int maxKeyBytes) : EntrySpan
{
    private readonly byte[] _last = new byte[maxKeyBytes];

    /// <summary>Length of the values of the tree.</summary>
    internal int ValueBytes { get; set; }

    /// <summary>The root of the tree, for errors.</summary>
    internal PageNumber Root { get; set; }

    internal override int SharedByLast(in Node leaf, int index, ReadOnlySpan<byte> key)
    {
        int length = leaf.CopyKey(index, _last);
        return key.CommonPrefixLength(LastOf(_last.AsSpan(0, length), Values(leaf, index)));
    }

    /// <summary>Returns the values of an entry after its first one.</summary>
    internal PackedValues Values(in Node leaf, int index)
    {
        if (leaf.IsOverflow(index, out ReadOnlySpan<byte> stored) || stored.Length > MultiWriter.MostBytes)
        {
            Throw.BadBlock(Root);
        }

        return new PackedValues(stored, ValueBytes, Root);
    }

    /// <summary>Returns the last pair of an entry, valid until the next call.</summary>
    internal ReadOnlySpan<byte> LastOf(ReadOnlySpan<byte> entryKey, PackedValues values)
    {
        if (values.Bytes.IsEmpty)
        {
            return entryKey;
        }

        int keyBytes = MultiKey.LengthIn(entryKey, Root);
        ReadOnlySpan<byte> last = values.Last;
        if (keyBytes + last.Length > _last.Length)
        {
            Throw.BadBlock(Root);
        }

        entryKey[..keyBytes].CopyTo(_last);
        last.CopyTo(_last.AsSpan(keyBytes));
        return _last.AsSpan(0, keyBytes + last.Length);
    }
}
