using Voron.Storage.Format;

namespace Voron.Storage.Trees;

/// <summary>One decoded entry of a node: in a leaf with its value or overflow reference, in a branch with its child.</summary>
internal readonly ref struct NodeEntry(
    ReadOnlySpan<byte> tail, ReadOnlySpan<byte> value, PageNumber child, OverflowReference overflow, bool isOverflow)
{
    /// <summary>The key after the node's prefix.</summary>
    internal readonly ReadOnlySpan<byte> Tail = tail;

    internal readonly ReadOnlySpan<byte> Value = value;

    internal readonly PageNumber Child = child;

    internal readonly OverflowReference Overflow = overflow;

    internal readonly bool IsOverflow = isOverflow;
}
