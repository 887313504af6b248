using System.Buffers;
using System.Runtime.CompilerServices;
using Voron.Storage.Format;
using Voron.Storage.Structures;
using Voron.Storage.Transactions;
using Voron.Storage.Trees;

namespace Voron.Storage;

/// <summary>
/// Keys of one type and values of one length, as one transaction sees them, in the order of the keys: that of <c>CompareTo</c> of the type.
/// </summary>
/// <typeparam name="TKey"><see cref="long"/>, <see cref="ulong"/>, <see cref="double"/> or <see cref="Guid"/>.</typeparam>
public readonly struct ReadFixedTree<TKey> : IEquatable<ReadFixedTree<TKey>>
    where TKey : unmanaged
{
    private readonly SnapshotScope? _scope;
    private readonly long _generation;
    private readonly PageNumber _root;

    /// <summary>The number of entries in a read transaction, the index of the open tree in a write transaction.</summary>
    private readonly long _countOrIndex;

    internal ReadFixedTree(SnapshotScope scope, long generation, PageNumber root, TreeShape shape, long countOrIndex)
    {
        _scope = scope;
        _generation = generation;
        _root = root;
        Shape = shape;
        _countOrIndex = countOrIndex;
    }

    private enum Target
    {
        First,
        Last,
        Floor,
        Ceiling,
    }

    /// <summary>The number of entries.</summary>
    public long Count => LiveScope() is WriteSession session
        ? session.Trees.Fixed.At(_generation, (int)_countOrIndex).Count
        : _countOrIndex;

    /// <summary>The length of every value in bytes.</summary>
    public int ValueSize => Shape.ValueBytes;

    internal TreeShape Shape { get; }

    /// <summary>Gets the value of a key. It is valid while the transaction lives, in a write transaction until the tree changes.</summary>
    public bool TryGet(TKey key, out ReadOnlySpan<byte> value)
    {
        SnapshotScope scope = LiveScope();
        return FixedReader.TryGet(scope.Source, scope.Snapshot, _root, Shape, FixedKey.Normal(key), out value);
    }

    /// <summary>Returns true if the key exists.</summary>
    public bool Contains(TKey key) => TryGet(key, out _);

    /// <summary>Gets the first entry; returns false if the tree is empty.</summary>
    public bool TryGetFirst(out TKey key, out ReadOnlySpan<byte> value) => TryGetAt(Target.First, default, out key, out value);

    /// <summary>Gets the last entry; returns false if the tree is empty.</summary>
    public bool TryGetLast(out TKey key, out ReadOnlySpan<byte> value) => TryGetAt(Target.Last, default, out key, out value);

    /// <summary>Gets the last entry with a key ≤ <paramref name="limit"/>; returns false if there is none.</summary>
    public bool TryGetFloor(TKey limit, out TKey key, out ReadOnlySpan<byte> value) => TryGetAt(Target.Floor, limit, out key, out value);

    /// <summary>Gets the first entry with a key ≥ <paramref name="limit"/>; returns false if there is none.</summary>
    public bool TryGetCeiling(TKey limit, out TKey key, out ReadOnlySpan<byte> value) =>
        TryGetAt(Target.Ceiling, limit, out key, out value);

    /// <summary>
    /// Counts the entries with from ≤ key &lt; to exactly. Reads the heads of their blocks, each of about 250 entries of 16 bytes.
    /// </summary>
    public long CountBetween(TKey from, TKey to)
    {
        SnapshotScope scope = LiveScope();
        Span<byte> low = stackalloc byte[FixedKey.MostBytes];
        Span<byte> high = stackalloc byte[FixedKey.MostBytes];
        low = low[..FixedKey.Write(FixedKey.Normal(from), low)];
        high = high[..FixedKey.Write(FixedKey.Normal(to), high)];
        return FixedReader.CountBetween(scope.Source, scope.Snapshot, _root, Shape, low, high);
    }

    /// <summary>Enumerates all entries in order.</summary>
    public FixedRange<TKey>.Enumerator GetEnumerator() => All(reversed: false).GetEnumerator();

    /// <summary>Returns the entries with from ≤ key &lt; to.</summary>
    public FixedRange<TKey> Range(TKey from, TKey to) => new(this, from, to, RangeEnds.From | RangeEnds.To, reversed: false);

    /// <summary>Returns the entries with from ≤ key.</summary>
    public FixedRange<TKey> From(TKey from) => new(this, from, default, RangeEnds.From, reversed: false);

    /// <summary>Returns the entries with key &gt; <paramref name="after"/>.</summary>
    public FixedRange<TKey> After(TKey after) => new(this, after, default, RangeEnds.From | RangeEnds.FromOpen, reversed: false);

    /// <summary>Returns the entries with key &lt; <paramref name="to"/>.</summary>
    public FixedRange<TKey> To(TKey to) => new(this, default, to, RangeEnds.To, reversed: false);

    /// <summary>Returns the entries with key ≤ <paramref name="last"/>.</summary>
    public FixedRange<TKey> UpTo(TKey last) => new(this, default, last, RangeEnds.To | RangeEnds.ToClosed, reversed: false);

    /// <summary>Returns all entries from the last to the first.</summary>
    public FixedRange<TKey> Reverse() => All(reversed: true);

    /// <summary>Returns all entries in blocks, the fastest way to read many.</summary>
    public FixedBlocks<TKey> Blocks() => new(this, default, default, RangeEnds.None);

    /// <summary>Returns the entries with from ≤ key &lt; to in blocks, the fastest way to read many.</summary>
    public FixedBlocks<TKey> Blocks(TKey from, TKey to) => new(this, from, to, RangeEnds.From | RangeEnds.To);

    /// <summary>Returns the tree's depth, pages by kind and fill; its entries are those of the tree. Reads every node once.</summary>
    public TreeReport GetReport()
    {
        SnapshotScope scope = LiveScope();
        return new TreeSurvey(scope.Source, scope.Snapshot, _root).Run() with { Entries = Count };
    }

    /// <inheritdoc/>
    public bool Equals(ReadFixedTree<TKey> other) => _scope == other._scope && _generation == other._generation && _root == other._root;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is ReadFixedTree<TKey> other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_scope, _generation, _root);

    /// <summary>True when both handles are the same tree in the same transaction.</summary>
    public static bool operator ==(ReadFixedTree<TKey> left, ReadFixedTree<TKey> right) => left.Equals(right);

    /// <summary>True when the handles are different trees or transactions.</summary>
    public static bool operator !=(ReadFixedTree<TKey> left, ReadFixedTree<TKey> right) => !left.Equals(right);

    /// <summary>Number of changes to this tree so far, for enumerators; constant in a read transaction.</summary>
    internal int Version => _scope is WriteSession session ? session.Trees.VersionOf((int)_countOrIndex) : 0;

    /// <summary>Returns the scope and checks that the tree still exists: the pages of a dropped tree must not be read.</summary>
    internal SnapshotScope LiveScope()
    {
        SnapshotScope scope = Scope();
        if (scope is WriteSession session)
        {
            session.Trees.Fixed.At(_generation, (int)_countOrIndex);
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

    /// <summary>Begins a walk through the entries, in a buffer from <see cref="FixedWalk.Rent"/>.</summary>
    internal FixedWalk Walk(byte[] buffer)
    {
        SnapshotScope scope = LiveScope();
        return new FixedWalk(scope.Source, scope.Snapshot, _root, Shape, buffer);
    }

    private FixedRange<TKey> All(bool reversed) => new(this, default, default, RangeEnds.None, reversed);

    private bool TryGetAt(Target target, TKey limit, out TKey key, out ReadOnlySpan<byte> value)
    {
        byte[] buffer = FixedWalk.Rent(LiveScope().Source);
        FixedWalk walk = Walk(buffer);
        Span<byte> ordered = stackalloc byte[FixedKey.MostBytes];
        ordered = ordered[..FixedKey.Write(FixedKey.Normal(limit), ordered)];
        bool isThere = target switch
        {
            Target.First => walk.MoveFirst(),
            Target.Last => walk.MoveLast(),
            Target.Floor => walk.SeekFloor(ordered),
            _ => walk.Seek(ordered),
        };
        key = isThere ? walk.Key<TKey>() : default;
        value = isThere ? walk.Value : default;
        ArrayPool<byte>.Shared.Return(buffer);
        return isThere;
    }
}
