using Voron.Storage.Trees;

namespace Voron.Storage;

/// <summary>A range of entries, enumerated with foreach.</summary>
public readonly ref struct TreeRange
{
    private readonly ReadTree _tree;
    private readonly ReadOnlySpan<byte> _low;
    private readonly ReadOnlySpan<byte> _high;
    private readonly RangeEnds _ends;
    private readonly bool _reversed;

    internal TreeRange(ReadTree tree, ReadOnlySpan<byte> low, ReadOnlySpan<byte> high, RangeEnds ends, bool reversed)
    {
        _tree = tree;
        _low = low;
        _high = high;
        _ends = ends;
        _reversed = reversed;
    }

    /// <summary>Returns the same entries in the opposite order.</summary>
    public TreeRange Reverse() => new(_tree, _low, _high, _ends, !_reversed);

    /// <summary>Begins the enumeration.</summary>
    public TreeEnumerator GetEnumerator() => new(_tree, _low, _high, _ends, _reversed);
}
