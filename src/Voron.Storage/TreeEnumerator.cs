using System.Runtime.CompilerServices;
using Voron.Storage.Transactions;
using Voron.Storage.Trees;

namespace Voron.Storage;

/// <summary>
/// Enumerates entries of a tree; created by foreach. Allocates nothing and reads large values only on access.
/// </summary>
public ref struct TreeEnumerator : IDisposable
{
    private readonly ReadTree _tree;
    private readonly SnapshotScope _scope;
    private readonly int _version;
    private readonly bool _canChange;
    private RangeCursor _cursor;

    internal TreeEnumerator(ReadTree tree, ReadOnlySpan<byte> low, ReadOnlySpan<byte> high, RangeEnds ends, bool reversed)
    {
        _tree = tree;
        _scope = tree.LiveScope();
        _version = tree.Version;
        _canChange = _scope is WriteSession;
        _cursor = new RangeCursor(_scope.Source, _scope.Snapshot, tree.Root, low, high, ends, reversed);
    }

    /// <summary>The current entry.</summary>
    public readonly TreeEntry Current
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            bool isOverflow = _cursor.IsOverflow(out ReadOnlySpan<byte> stored);
            return new TreeEntry(_tree, _cursor.Key, stored, isOverflow);
        }
    }

    /// <summary>Moves to the next entry; returns false at the end.</summary>
    /// <exception cref="InvalidOperationException">The tree was changed since the enumeration began.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool MoveNext()
    {
        _tree.Scope();
        if (_canChange && _tree.Version != _version)
        {
            Transactions.Throw.TreeChanged();
        }

        return _cursor.MoveNext();
    }

    /// <summary>Ends the enumeration.</summary>
    public void Dispose() => _cursor.Dispose();
}
