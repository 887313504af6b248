using Voron.Storage.Transactions;
using Voron.Storage.Trees;

namespace Voron.Storage;

/// <summary>
/// A lookup of many keys, enumerated in key-list order with foreach. Keys are looked up eight at a time, which takes about one memory wait
/// where single lookups take eight. Allocates nothing.
/// </summary>
public ref struct TreeLookups
{
    private readonly ReadTree _tree;
    private readonly SnapshotScope _scope;
    private readonly ReadOnlySpan<ReadOnlyMemory<byte>> _keys;
    private readonly int _version;
    private LookupGroup _found;
    private int _index;

    internal TreeLookups(ReadTree tree, ReadOnlySpan<ReadOnlyMemory<byte>> keys)
    {
        _tree = tree;
        _scope = tree.LiveScope();
        _version = tree.Version;
        _keys = keys;
        _index = -1;
    }

    /// <summary>The result for the current key.</summary>
    public readonly TreeLookup Current
    {
        get
        {
            _tree.Scope();
            if (_tree.Version != _version)
            {
                Transactions.Throw.TreeChanged();
            }

            FoundValue found = _found[_index % LookupGroup.Count];
            return new TreeLookup(
                _index, found.Exists, found.Exists ? new TreeEntry(_tree, default, found.Stored, found.IsOverflow) : default);
        }
    }

    /// <summary>Begins the enumeration.</summary>
    public readonly TreeLookups GetEnumerator() => this;

    /// <summary>Moves to the next key; returns false at the end.</summary>
    /// <exception cref="InvalidOperationException">The tree was changed since the enumeration began.</exception>
    public bool MoveNext()
    {
        if (_index + 1 >= _keys.Length)
        {
            return false;
        }

        _tree.Scope();
        if (_tree.Version != _version)
        {
            Transactions.Throw.TreeChanged();
        }

        int next = _index + 1;
        if (next % LookupGroup.Count == 0)
        {
            int count = Math.Min(LookupGroup.Count, _keys.Length - next);
            MultiLookup.Find(_scope.Source, _scope.Snapshot, _tree.Root, _keys.Slice(next, count), ref _found);
        }

        _index = next;
        return true;
    }
}
