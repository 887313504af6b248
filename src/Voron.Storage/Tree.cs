using Voron.Storage.Transactions;

namespace Voron.Storage;

/// <summary>
/// An ordered map of byte strings in a write transaction. Keys are ordered byte by byte, unsigned; a key that is a prefix of another
/// comes first.
/// </summary>
public readonly struct Tree : IEquatable<Tree>
{
    private readonly WriteSession? _session;
    private readonly long _generation;
    private readonly int _index;

    internal Tree(WriteSession session, long generation, int index)
    {
        _session = session;
        _generation = generation;
        _index = index;
    }

    /// <summary>Number of entries, this transaction's changes included.</summary>
    public long Count => Session().TreeAt(_index).Count;

    /// <summary>Inserts the key or replaces its value.</summary>
    /// <exception cref="KeyTooLongException">The key is longer than the limit; nothing changed.</exception>
    /// <exception cref="ValueTooLongException">The value is longer than the limit; nothing changed.</exception>
    public void Put(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value) =>
        Session().Put(_index, key, value);

    /// <summary>Inserts the key; false, with nothing changed, when it exists.</summary>
    public bool TryAdd(scoped ReadOnlySpan<byte> key, scoped ReadOnlySpan<byte> value) =>
        Session().TryAdd(_index, key, value);

    /// <summary>Deletes the key; false when it does not exist.</summary>
    public bool Delete(scoped ReadOnlySpan<byte> key) => Session().Delete(_index, key);

    /// <summary>Finds a value; the span is valid until the next change in this transaction.</summary>
    public bool TryGet(scoped ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value) => AsReadTree().TryGet(key, out value);

    /// <summary>A copy of the value, or null when the key does not exist.</summary>
    public byte[]? Get(scoped ReadOnlySpan<byte> key) => AsReadTree().Get(key);

    /// <summary>True when the key exists.</summary>
    public bool Contains(scoped ReadOnlySpan<byte> key) => AsReadTree().Contains(key);

    /// <summary>The same tree for reading; it sees this transaction's changes.</summary>
    public ReadTree AsReadTree()
    {
        WriteSession session = Session();
        return new ReadTree(session, _generation, session.TreeAt(_index).Root, _index);
    }

    /// <summary>The same tree for reading; it sees this transaction's changes.</summary>
    public static implicit operator ReadTree(Tree tree) => tree.AsReadTree();

    /// <summary>All entries in key order.</summary>
    public TreeEnumerator GetEnumerator() => AsReadTree().GetEnumerator();

    /// <summary>Entries with from ≤ key &lt; to.</summary>
    public TreeRange Range(ReadOnlySpan<byte> from, ReadOnlySpan<byte> to) => AsReadTree().Range(from, to);

    /// <summary>Entries whose key starts with these bytes.</summary>
    public TreeRange Prefix(ReadOnlySpan<byte> prefix) => AsReadTree().Prefix(prefix);

    /// <summary>Entries with from ≤ key.</summary>
    public TreeRange From(ReadOnlySpan<byte> from) => AsReadTree().From(from);

    /// <summary>All entries from the last to the first.</summary>
    public TreeRange Reverse() => AsReadTree().Reverse();

    /// <inheritdoc/>
    public bool Equals(Tree other) => _session == other._session && _generation == other._generation && _index == other._index;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is Tree other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_session, _generation, _index);

    /// <summary>True when both handles are the same tree in the same transaction.</summary>
    public static bool operator ==(Tree left, Tree right) => left.Equals(right);

    /// <summary>True when the handles are different trees or transactions.</summary>
    public static bool operator !=(Tree left, Tree right) => !left.Equals(right);

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
