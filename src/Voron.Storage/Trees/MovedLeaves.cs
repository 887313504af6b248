using Voron.Storage.Format;

namespace Voron.Storage.Trees;

/// <summary>
/// The leaves whose keys have moved to other leaves since the leaves of a batch of puts were found. Such a leaf may have been freed.
/// </summary>
internal sealed class MovedLeaves
{
    /// <summary>Stands for every leaf: too many have moved keys to be told apart.</summary>
    private const long All = -1;

    private readonly long[] _moved = new long[32];
    private int _count;

    /// <summary>The leaves of another batch are found now.</summary>
    internal void Clear() => _count = 0;

    /// <summary>Keys have moved between leaves, and it is not known which.</summary>
    internal void AddAll()
    {
        _moved[0] = All;
        _count = 1;
    }

    internal void Add(PageNumber leaf)
    {
        if (_count == _moved.Length)
        {
            AddAll();
        }
        else if (_count == 0 || _moved[0] != All)
        {
            _moved[_count++] = leaf.Value;
        }
    }

    internal bool Has(PageNumber leaf) => _count > 0 && _moved.AsSpan(0, _count).ContainsAny(All, leaf.Value);
}
