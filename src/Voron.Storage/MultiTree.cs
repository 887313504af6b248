using Voron.Storage.Format;
using Voron.Storage.Transactions;

namespace Voron.Storage;

/// <summary>
/// Sorted sets of values by key in a write transaction. A key exists while it has a value. In a change, key and value may be spans of this
/// tree.
/// </summary>
public readonly struct MultiTree : IEquatable<MultiTree>
{
    private readonly WriteSession? _session;
    private readonly long _generation;
    private readonly int _index;

    internal MultiTree(WriteSession session, long generation, int index)
    {
        _session = session;
        _generation = generation;
        _index = index;
    }

    /// <summary>The number of pairs, including this transaction's changes. <see cref="MultiTreeCounts"/> counts those of one key.</summary>
    public long Count => AsReadMultiTree().Count;

    /// <inheritdoc cref="ReadMultiTree.ValueBytes"/>
    public int? ValueBytes => AsReadMultiTree().ValueBytes;

    /// <summary>Adds a value to the set of a key; returns false and changes nothing if it is there.</summary>
    /// <exception cref="KeyTooLongException">Key and value together are longer than the limit; nothing changed.</exception>
    /// <exception cref="ArgumentException">The tree has values of another length; nothing changed.</exception>
    public bool Add(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value) =>
        Session().Trees.Multi.Add(_generation, _index, key, value);

    /// <summary>Adds a pair after all others, so that blocks and pages get full.</summary>
    /// <exception cref="ArgumentException">The pair is not above the last one; nothing changed.</exception>
    /// <exception cref="KeyTooLongException">Key and value together are longer than the limit; nothing changed.</exception>
    public void Append(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value) =>
        Session().Trees.Multi.Append(_generation, _index, key, value);

    /// <summary>Removes a value from the set of a key; returns false if it is not there. The last one takes the key with it.</summary>
    /// <exception cref="KeyTooLongException">Key and value together are longer than the limit; nothing changed.</exception>
    /// <exception cref="ArgumentException">The tree has values of another length; nothing changed.</exception>
    public bool Delete(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value) =>
        Session().Trees.Multi.Delete(_generation, _index, key, value);

    /// <summary>Deletes a key with all of its values and returns their number.</summary>
    public long DeleteAll(scoped ReadOnlySpan<byte> key) => Session().Trees.Multi.DeleteAll(_generation, _index, key);

    /// <summary>
    /// Deletes the pairs with from ≤ key &lt; to and returns their number. Pages entirely inside the range are freed as a whole.
    /// </summary>
    public long DeleteRange(scoped ReadOnlySpan<byte> from, scoped ReadOnlySpan<byte> to) =>
        Session().Trees.Multi.DeleteRange(_generation, _index, from, to);

    /// <inheritdoc cref="ReadMultiTree.Contains"/>
    public bool Contains(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value) => AsReadMultiTree().Contains(key, value);

    /// <summary>Returns the values of a key. The tree must not change while they are enumerated.</summary>
    public MultiValues Values(ReadOnlySpan<byte> key) => AsReadMultiTree().Values(key);

    /// <inheritdoc cref="ReadMultiTree.Blocks"/>
    public MultiBlocks Blocks(ReadOnlySpan<byte> key) => AsReadMultiTree().Blocks(key);

    /// <inheritdoc cref="ReadMultiTree.Keys"/>
    public MultiKeys Keys => AsReadMultiTree().Keys;

    /// <summary>Opens a cursor that sees this transaction's changes and follows them.</summary>
    public MultiCursor OpenCursor() => AsReadMultiTree().OpenCursor();

    /// <summary>Enumerates all pairs in order. The tree must not change meanwhile.</summary>
    public MultiRange.Enumerator GetEnumerator() => AsReadMultiTree().GetEnumerator();

    /// <inheritdoc cref="ReadMultiTree.Range"/>
    public MultiRange Range(ReadOnlySpan<byte> from, ReadOnlySpan<byte> to) => AsReadMultiTree().Range(from, to);

    /// <inheritdoc cref="ReadMultiTree.Prefix"/>
    public MultiRange Prefix(ReadOnlySpan<byte> prefix) => AsReadMultiTree().Prefix(prefix);

    /// <inheritdoc cref="ReadMultiTree.From"/>
    public MultiRange From(ReadOnlySpan<byte> from) => AsReadMultiTree().From(from);

    /// <inheritdoc cref="ReadMultiTree.After"/>
    public MultiRange After(ReadOnlySpan<byte> after) => AsReadMultiTree().After(after);

    /// <inheritdoc cref="ReadMultiTree.To"/>
    public MultiRange To(ReadOnlySpan<byte> to) => AsReadMultiTree().To(to);

    /// <inheritdoc cref="ReadMultiTree.UpTo"/>
    public MultiRange UpTo(ReadOnlySpan<byte> last) => AsReadMultiTree().UpTo(last);

    /// <inheritdoc cref="ReadMultiTree.Reverse"/>
    public MultiRange Reverse() => AsReadMultiTree().Reverse();

    /// <inheritdoc cref="ReadMultiTree.GetReport"/>
    public TreeReport GetReport() => AsReadMultiTree().GetReport();

    /// <summary>Returns the same tree for reading; it sees this transaction's changes.</summary>
    public ReadMultiTree AsReadMultiTree()
    {
        WriteSession session = Session();
        ref OpenTree tree = ref session.Trees.Multi.At(_index);
        return new ReadMultiTree(session, _generation, tree.Root, tree.Shape.ValueBytes, _index);
    }

    /// <summary>Returns the same tree for reading; it sees this transaction's changes.</summary>
    public static implicit operator ReadMultiTree(MultiTree tree) => tree.AsReadMultiTree();

    /// <inheritdoc/>
    public bool Equals(MultiTree other) => _session == other._session && _generation == other._generation && _index == other._index;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is MultiTree other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_session, _generation, _index);

    /// <summary>True when both handles are the same tree in the same transaction.</summary>
    public static bool operator ==(MultiTree left, MultiTree right) => left.Equals(right);

    /// <summary>True when the handles are different trees or transactions.</summary>
    public static bool operator !=(MultiTree left, MultiTree right) => !left.Equals(right);

    private WriteSession Session()
    {
        if (_session is null)
        {
            Transactions.Throw.TransactionEnded();
        }

        _session.CheckGeneration(_generation);
        return _session;
    }
}
