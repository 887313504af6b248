using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.Transactions;

/// <summary>
/// The trees of the write transaction: opens them and changes their entries. Arguments are checked before anything changes; then the
/// change runs in the session's frame. Each call passes the generation of its handle.
/// </summary>
internal sealed class SessionTrees(
    SnapshotScope scope, SessionFrame frame, OpenTreeTable open, TreeChanges changes, StorageLimits limits)
{
    /// <summary>The shape of an ordered tree that is created.</summary>
    private TreeShape _ordered = TreeShape.Ordered;

    /// <summary>The multi-value trees.</summary>
    internal SessionMultiTrees Multi { get; } = new(frame, open, changes, limits);

    /// <summary>The fixed-size trees.</summary>
    internal SessionFixedTrees Fixed { get; } = new(frame, open, changes);

    /// <summary>Says how trees are created.</summary>
    /// <param name="beforeFeature">See <see cref="CatalogChanges.BeforeFeature"/>.</param>
    /// <param name="writeOptimizesAll">Whether ordered trees are write-optimized also if their creation does not ask for it.</param>
    internal void Prepare(Action<FormatFeatures, bool> beforeFeature, bool writeOptimizesAll)
    {
        changes.Catalog.BeforeFeature = beforeFeature;
        _ordered = writeOptimizesAll ? TreeShape.WriteOptimized : TreeShape.Ordered;
    }

    /// <summary>Returns the index of a tree of any kind, or −1 if there is none of that name.</summary>
    internal int Find(long generation, ReadOnlySpan<byte> name) => Find(generation, name, out _);

    /// <summary>As above, with the shape of the tree: another thread may end the transaction as soon as this returns.</summary>
    private int Find(long generation, ReadOnlySpan<byte> name, out TreeShape shape)
    {
        TreeName.Check(name);
        using (frame.Hold(generation))
        {
            int index = open.Find(name);
            if (index < 0 && Catalog.TryFind(scope.Source, scope.Snapshot, name, out TreeRecord record))
            {
                index = open.Add(name, record);
            }

            shape = index < 0 ? default : open[index].Shape;
            return index;
        }
    }

    /// <summary>Returns the index of an ordered tree, or −1 if there is none of that name and none is to be created.</summary>
    internal int Open(long generation, ReadOnlySpan<byte> name, bool create) => Open(generation, name, _ordered, create);

    /// <summary>
    /// Returns the index of a tree of this shape, or −1 if there is none of that name and none is to be created. An ordered tree that
    /// exists may be write-optimized or not.
    /// </summary>
    internal int Open(long generation, ReadOnlySpan<byte> name, TreeShape shape, bool create)
    {
        int index = Find(generation, name, out TreeShape found);
        if (index >= 0 && found != shape && !(found.IsOrdered && shape.IsOrdered))
        {
            Throw.KindMismatch(name, shape.ToString(), found);
        }

        if (index >= 0 || !create)
        {
            return index;
        }

        frame.CheckUsable();
        CreateChange change = new(changes, name, shape);
        frame.Run(generation, ref change);
        return change.Index;
    }

    /// <summary>Returns the index of a multi-value tree, whatever the length of its values, or −1 if there is none of that name.</summary>
    internal int FindMulti(long generation, ReadOnlySpan<byte> name)
    {
        int index = Find(generation, name, out TreeShape found);
        if (index >= 0 && found.Kind != TreeKind.Multi)
        {
            Throw.KindMismatch(name, "a multi-value tree", found);
        }

        return index;
    }

    /// <summary>Returns the index of a fixed-size tree with such keys, or −1 if there is none of that name.</summary>
    internal int FindFixed(long generation, ReadOnlySpan<byte> name, FixedKeyKind keys)
    {
        int index = Find(generation, name, out TreeShape found);
        if (index >= 0 && (found.Kind != TreeKind.Fixed || found.KeyKind != keys))
        {
            Throw.KindMismatch(name, $"a fixed-size tree with {keys} keys", found);
        }

        return index;
    }

    /// <summary>
    /// Applies an operation of a record to a tree of blocks; false if the tree is an ordered one, or the operation not for this kind.
    /// </summary>
    internal bool TryApply(long generation, int index, in RedoReader redo) =>
        Multi.TryApply(generation, index, redo) || Fixed.TryApply(generation, index, redo);

    /// <summary>Returns the shape of a tree.</summary>
    internal TreeShape ShapeOf(int index) => open[index].Shape;

    /// <summary>Drops a tree and frees all its pages; false if there is no tree of that name.</summary>
    internal bool Drop(long generation, ReadOnlySpan<byte> name)
    {
        frame.CheckUsable();
        int index = Find(generation, name);
        if (index < 0)
        {
            return false;
        }

        DropChange change = new(changes, index);
        frame.Run(generation, ref change);
        return true;
    }

    /// <summary>Renames a tree; false if there is no tree of the old name, an error if there is one of the new name.</summary>
    internal bool Rename(long generation, ReadOnlySpan<byte> name, ReadOnlySpan<byte> newName)
    {
        frame.CheckUsable();
        TreeName.Check(newName);
        int index = Find(generation, name);
        if (index < 0)
        {
            return false;
        }

        if (Find(generation, newName) >= 0)
        {
            Throw.NameTaken(newName);
        }

        RenameChange change = new(changes, index, name, newName);
        frame.Run(generation, ref change);
        return true;
    }

    /// <summary>Returns a tree for reading, with all deferred puts applied.</summary>
    internal ref OpenTree At(long generation, int index)
    {
        ApplyDeferred(generation);
        return ref open.Living(index);
    }

    /// <summary>Incremented by every change of the tree; −1 when the transaction has ended.</summary>
    internal int VersionOf(int index) => index < open.Count ? open[index].Version : -1;

    /// <summary>Inserts or replaces an entry.</summary>
    internal void Put(long generation, int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        CheckPut(index, key, value.Length);
        PutChange change = new(changes, index, key, value);
        frame.Run(generation, ref change);
    }

    /// <summary>Inserts an entry; returns false and changes nothing if the key exists.</summary>
    internal bool TryAdd(long generation, int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        CheckPut(index, key, value.Length);
        AddChange change = new(changes, index, key, value);
        frame.Run(generation, ref change);
        return change.IsAdded;
    }

    /// <summary>Inserts or replaces an entry with a zero-filled value, which the caller fills in before its next call.</summary>
    internal Span<byte> Reserve(long generation, int index, scoped ReadOnlySpan<byte> key, int valueBytes)
    {
        CheckPut(index, key, valueBytes);
        ReserveChange change = new(changes, index, key, valueBytes);
        frame.Run(generation, ref change);
        return changes.ReservedValue;
    }

    /// <summary>Inserts after the last entry; an argument error, with nothing changed, if the key is not above the last one.</summary>
    internal void Append(long generation, int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        CheckPut(index, key, value.Length);
        AppendChange change = new(changes, index, key, value);
        frame.Run(generation, ref change);
        if (!change.IsAppended)
        {
            Throw.NotAbove();
        }
    }

    /// <summary>Deletes an entry; false if the key does not exist.</summary>
    internal bool Delete(long generation, int index, ReadOnlySpan<byte> key)
    {
        CheckDelete(index, key);
        DeleteChange change = new(changes, index, key);
        frame.Run(generation, ref change);
        return change.IsDeleted;
    }

    /// <summary>Deletes the entries with from ≤ key &lt; to and returns their number.</summary>
    internal long DeleteRange(long generation, int index, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        limits.CheckKey(from);
        limits.CheckKey(to);
        frame.CheckUsable();
        open.Living(index);
        DeleteRangeChange change = new(changes, index, from, to);
        frame.Run(generation, ref change);
        return change.Deleted;
    }

    /// <summary>Checks the arguments of a put before anything changes.</summary>
    internal void CheckPut(int index, ReadOnlySpan<byte> key, int valueBytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(valueBytes);
        limits.CheckEntry(key, valueBytes);
        frame.CheckUsable();
        open.Living(index);
    }

    /// <summary>Checks the arguments of a deletion before anything changes.</summary>
    internal void CheckDelete(int index, ReadOnlySpan<byte> key)
    {
        limits.CheckKey(key);
        frame.CheckUsable();
        open.Living(index);
    }

    internal void ApplyDeferred(long generation)
    {
        if (changes.NotedPuts > 0)
        {
            frame.CheckUsable();
            ApplyChange change = new(changes);
            frame.Run(generation, ref change);
        }
    }

    private ref struct CreateChange(TreeChanges changes, ReadOnlySpan<byte> name, TreeShape shape) : SessionFrame.IChange
    {
        private readonly ReadOnlySpan<byte> _name = name;

        internal int Index { get; private set; }

        public void Run() => Index = changes.Catalog.Create(_name, shape);
    }

    private readonly struct DropChange(TreeChanges changes, int tree) : SessionFrame.IChange
    {
        public void Run() => changes.Catalog.Drop(tree);
    }

    private readonly ref struct RenameChange(TreeChanges changes, int tree, ReadOnlySpan<byte> name, ReadOnlySpan<byte> newName)
        : SessionFrame.IChange
    {
        private readonly ReadOnlySpan<byte> _name = name;
        private readonly ReadOnlySpan<byte> _newName = newName;

        public void Run() => changes.Catalog.Rename(tree, _name, _newName);
    }

    private readonly ref struct PutChange(TreeChanges changes, int tree, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
        : SessionFrame.IChange
    {
        private readonly ReadOnlySpan<byte> _key = key;
        private readonly ReadOnlySpan<byte> _value = value;

        public void Run() => changes.Put(tree, _key, _value);
    }

    private ref struct AddChange(TreeChanges changes, int tree, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
        : SessionFrame.IChange
    {
        private readonly ReadOnlySpan<byte> _key = key;
        private readonly ReadOnlySpan<byte> _value = value;

        internal bool IsAdded { get; private set; }

        public void Run() => IsAdded = changes.TryAdd(tree, _key, _value);
    }

    private ref struct AppendChange(TreeChanges changes, int tree, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
        : SessionFrame.IChange
    {
        private readonly ReadOnlySpan<byte> _key = key;
        private readonly ReadOnlySpan<byte> _value = value;

        internal bool IsAppended { get; private set; }

        public void Run() => IsAppended = changes.TryAppend(tree, _key, _value);
    }

    private readonly ref struct ReserveChange(TreeChanges changes, int tree, ReadOnlySpan<byte> key, int valueBytes)
        : SessionFrame.IChange
    {
        private readonly ReadOnlySpan<byte> _key = key;

        public void Run() => changes.Reserve(tree, _key, valueBytes);
    }

    private ref struct DeleteChange(TreeChanges changes, int tree, ReadOnlySpan<byte> key) : SessionFrame.IChange
    {
        private readonly ReadOnlySpan<byte> _key = key;

        internal bool IsDeleted { get; private set; }

        public void Run() => IsDeleted = changes.Delete(tree, _key);
    }

    private ref struct DeleteRangeChange(TreeChanges changes, int tree, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
        : SessionFrame.IChange
    {
        private readonly ReadOnlySpan<byte> _from = from;
        private readonly ReadOnlySpan<byte> _to = to;

        internal long Deleted { get; private set; }

        public void Run() => Deleted = changes.DeleteRange(tree, _from, _to);
    }

    private readonly struct ApplyChange(TreeChanges changes) : SessionFrame.IChange
    {
        public void Run() => changes.ApplyDeferred();
    }
}
