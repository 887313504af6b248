using System.Runtime.CompilerServices;
using Voron.Storage.Format;
using Voron.Storage.Structures;
using Voron.Storage.Transactions;

namespace Voron.Storage;

/// <summary>
/// Sorted sets of values by key, as one transaction sees them. Keys, and the values of a key, are in the order of their bytes, and no pair
/// of key and value is there twice.
/// </summary>
public readonly struct ReadMultiTree : IEquatable<ReadMultiTree>
{
    private readonly SnapshotScope? _scope;
    private readonly long _generation;
    private readonly PageNumber _root;
    private readonly int _valueBytes;

    /// <summary>The number of pairs in a read transaction, the index of the open tree in a write transaction.</summary>
    private readonly long _countOrIndex;

    internal ReadMultiTree(SnapshotScope scope, long generation, PageNumber root, int valueBytes, long countOrIndex)
    {
        _scope = scope;
        _generation = generation;
        _root = root;
        _valueBytes = valueBytes;
        _countOrIndex = countOrIndex;
    }

    /// <summary>The number of pairs. <see cref="MultiTreeCounts"/> counts the values of one key.</summary>
    public long Count => LiveScope() is WriteSession session ? session.Trees.Multi.At((int)_countOrIndex).Count : _countOrIndex;

    /// <summary>The common length of all values in bytes; null if they may have different lengths.</summary>
    public int? ValueBytes => _valueBytes == TreeShape.AnyLength ? null : _valueBytes;

    /// <summary>Returns true if the pair exists.</summary>
    /// <exception cref="ArgumentException">The tree has values of another length.</exception>
    public bool Contains(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value)
    {
        SnapshotScope scope = LiveScope();
        SessionMultiTrees.CheckValue(_valueBytes, value);
        return MultiReader.Contains(scope.Source, scope.Snapshot, _root, _valueBytes, key, value);
    }

    /// <summary>Returns the values of a key. The spans of a range must stay unchanged while it is used.</summary>
    public MultiValues Values(ReadOnlySpan<byte> key) => new(this, key);

    /// <summary>Returns the values of a key in blocks, the fastest way to read many; only if all have a common length.</summary>
    /// <exception cref="InvalidOperationException">The values of the tree have no common length.</exception>
    public MultiBlocks Blocks(ReadOnlySpan<byte> key)
    {
        if (_valueBytes == TreeShape.AnyLength)
        {
            Structures.Throw.NoBlocks();
        }

        return new MultiBlocks(this, key);
    }

    /// <summary>The keys, each once.</summary>
    public MultiKeys Keys => new(this);

    /// <summary>Opens a cursor that moves in both directions. Dispose it when it is no longer needed.</summary>
    public MultiCursor OpenCursor() => new(this);

    /// <summary>Enumerates all pairs in order.</summary>
    public MultiRange.Enumerator GetEnumerator() => new MultiRange(this, default, default, MultiEnds.None, false).GetEnumerator();

    /// <summary>Returns the pairs with from ≤ key &lt; to. The spans must stay unchanged while the range is used.</summary>
    public MultiRange Range(ReadOnlySpan<byte> from, ReadOnlySpan<byte> to) =>
        new(this, from, to, MultiEnds.From | MultiEnds.To, reversed: false);

    /// <summary>Returns the pairs whose key starts with these bytes. The span must stay unchanged while the range is used.</summary>
    public MultiRange Prefix(ReadOnlySpan<byte> prefix) => new(this, prefix, prefix, MultiEnds.Prefix, reversed: false);

    /// <summary>Returns the pairs with from ≤ key. The span must stay unchanged while the range is used.</summary>
    public MultiRange From(ReadOnlySpan<byte> from) => new(this, from, default, MultiEnds.From, reversed: false);

    /// <summary>Returns the pairs with key &gt; <paramref name="after"/>. The span must stay unchanged while the range is used.</summary>
    public MultiRange After(ReadOnlySpan<byte> after) => new(this, after, default, MultiEnds.After, reversed: false);

    /// <summary>Returns the pairs with key &lt; <paramref name="to"/>. The span must stay unchanged while the range is used.</summary>
    public MultiRange To(ReadOnlySpan<byte> to) => new(this, default, to, MultiEnds.To, reversed: false);

    /// <summary>Returns the pairs with key ≤ <paramref name="last"/>. The span must stay unchanged while the range is used.</summary>
    public MultiRange UpTo(ReadOnlySpan<byte> last) => new(this, default, last, MultiEnds.UpTo, reversed: false);

    /// <summary>Returns all pairs from the last to the first.</summary>
    public MultiRange Reverse() => new(this, default, default, MultiEnds.None, reversed: true);

    /// <summary>Returns the tree's depth, pages by kind and fill; its entries are the pairs. Reads every node once.</summary>
    public TreeReport GetReport()
    {
        SnapshotScope scope = LiveScope();
        return new Trees.TreeSurvey(scope.Source, scope.Snapshot, _root).Run() with { Entries = Count };
    }

    /// <inheritdoc/>
    public bool Equals(ReadMultiTree other) => _scope == other._scope && _generation == other._generation && _root == other._root;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is ReadMultiTree other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_scope, _generation, _root);

    /// <summary>True when both handles are the same tree in the same transaction.</summary>
    public static bool operator ==(ReadMultiTree left, ReadMultiTree right) => left.Equals(right);

    /// <summary>True when the handles are different trees or transactions.</summary>
    public static bool operator !=(ReadMultiTree left, ReadMultiTree right) => !left.Equals(right);

    internal long CountOf(scoped ReadOnlySpan<byte> key)
    {
        SnapshotScope scope = LiveScope();
        return MultiReader.Count(scope.Source, scope.Snapshot, _root, _valueBytes, key);
    }

    /// <summary>Number of changes to this tree so far, for enumerators; constant in a read transaction.</summary>
    internal int Version => _scope is WriteSession session ? session.Trees.VersionOf((int)_countOrIndex) : 0;

    /// <summary>Returns the scope and checks that the tree still exists: the pages of a dropped tree must not be read.</summary>
    internal SnapshotScope LiveScope()
    {
        SnapshotScope scope = Scope();
        if (scope is WriteSession session)
        {
            session.Trees.Multi.At((int)_countOrIndex);
        }

        return scope;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal SnapshotScope Scope()
    {
        if (_scope is null)
        {
            Transactions.Throw.TransactionEnded();
        }

        _scope.CheckGeneration(_generation);
        return _scope;
    }

    /// <summary>Begins a walk through the pairs, in a buffer of <see cref="MultiPosition.BufferBytes"/>.</summary>
    internal MultiPosition Walk(byte[] buffer, bool remembers)
    {
        SnapshotScope scope = LiveScope();
        return new MultiPosition(scope.Source, scope.Snapshot, _root, _valueBytes, buffer, remembers);
    }
}
