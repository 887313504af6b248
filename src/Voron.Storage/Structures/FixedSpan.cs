using Voron.Storage.Format;
using Voron.Storage.Trees;

namespace Voron.Storage.Structures;

/// <summary>Up to where the blocks of a fixed-size tree reach: to their last key.</summary>
internal sealed class FixedSpan : EntrySpan
{
    private readonly byte[] _last = new byte[FixedKey.MostBytes];

    /// <summary>The shape of the tree.</summary>
    internal TreeShape Shape { get; set; }

    /// <summary>The root of the tree, for errors.</summary>
    internal PageNumber Root { get; set; }

    internal override int SharedByLast(in Node leaf, int index, ReadOnlySpan<byte> key) =>
        key.CommonPrefixLength(LastOf(Columns(leaf, index)));

    /// <summary>Opens the block of a row.</summary>
    internal FixedColumns Columns(scoped in Node leaf, int index) => Columns(leaf, index, Shape, Root);

    /// <summary>Opens the block of a row of a tree.</summary>
    internal static FixedColumns Columns(scoped in Node leaf, int index, TreeShape shape, PageNumber root)
    {
        FixedColumns columns = default;
        if (leaf.IsOverflow(index, out ReadOnlySpan<byte> stored) || !FixedColumns.TryOpen(stored, shape, out columns))
        {
            Throw.BadColumns(root, leaf.Page);
        }

        return columns;
    }

    /// <summary>
    /// Opens the block of a row for changes, in memory of the transaction alone. In a damaged leaf its bytes may have been where that
    /// memory has none of the leaf.
    /// </summary>
    internal FixedEdit Edit(scoped in NodeEdit leaf, int index, int count)
    {
        Span<byte> own = leaf.OwnValue(index);
        if (!FixedColumns.TryOpen(own, Shape, out FixedColumns columns) || columns.Count != count)
        {
            Throw.BadColumns(Root, leaf.Page);
        }

        return new FixedEdit(own, Shape);
    }

    /// <summary>Returns the last key of a block in its ordered form, valid until the next call.</summary>
    internal ReadOnlySpan<byte> LastOf(scoped in FixedColumns block) => _last.AsSpan(0, block.WriteKey(block.Count - 1, _last));
}
