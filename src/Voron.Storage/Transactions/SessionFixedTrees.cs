using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Structures;

namespace Voron.Storage.Transactions;

/// <summary>
/// The fixed-size trees of the write transaction, as <see cref="SessionTrees"/> are the ordered ones. Keys are in their ordered form.
/// </summary>
internal sealed class SessionFixedTrees(SessionFrame frame, OpenTreeTable open, TreeChanges changes)
{
    /// <summary>Returns the kind of keys of a type; an argument error if no tree has such keys.</summary>
    internal static FixedKeyKind KindOf<TKey>()
        where TKey : unmanaged
    {
        FixedKeyKind kind = FixedKey.KindOf<TKey>();
        if (kind == FixedKeyKind.None)
        {
            Throw.BadKeyType(typeof(TKey));
        }

        return kind;
    }

    /// <summary>Returns the shape of trees with such keys and values; an argument error if there are none.</summary>
    internal static TreeShape ShapeOf<TKey>(int valueSize)
        where TKey : unmanaged
    {
        FixedKeyKind kind = KindOf<TKey>();
        if (valueSize is < 0 or > TreeShape.MaxFixedBytes)
        {
            Throw.BadValueSize(valueSize);
        }

        return new TreeShape(TreeKind.Fixed, (ushort)valueSize, kind);
    }

    /// <summary>Returns a tree for reading, with a reserved entry put.</summary>
    internal ref OpenTree At(long generation, int index)
    {
        if (changes.NotedPuts > 0)
        {
            frame.CheckUsable();
            EntryChange change = new(changes, EntryAction.None, index, default, default);
            frame.Run(generation, ref change);
        }

        return ref open.Living(index);
    }

    /// <summary>Inserts or replaces an entry.</summary>
    internal void Put(long generation, int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) =>
        Run(generation, EntryAction.Put, index, key, value);

    /// <summary>Inserts an entry; false if the key exists.</summary>
    internal bool Add(long generation, int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) =>
        Run(generation, EntryAction.Add, index, key, value);

    /// <summary>Inserts an entry above all others; an argument error, with nothing changed, if it is not.</summary>
    internal void Append(long generation, int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        if (!TryAppend(generation, index, key, value))
        {
            Throw.NotAbove();
        }
    }

    /// <summary>Inserts an entry above all others; false, with nothing changed, if it is not.</summary>
    internal bool TryAppend(long generation, int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) =>
        Run(generation, EntryAction.Append, index, key, value);

    /// <summary>Inserts entries above all others; an argument error, with nothing changed, if they are not.</summary>
    internal void AppendColumns<TKey>(long generation, int index, ReadOnlySpan<TKey> keys, ReadOnlySpan<byte> values)
        where TKey : unmanaged
    {
        TreeShape shape = open.Living(index).Shape;
        if (values.Length != (long)keys.Length * shape.ValueBytes)
        {
            Throw.WrongColumnLength(values.Length, keys.Length, shape.ValueBytes);
        }

        if (!FixedKey.IsAscending(keys))
        {
            Throw.NotAscending();
        }

        frame.CheckUsable();
        ColumnsChange change = new(changes.Fixed, index, MemoryMarshal.AsBytes(keys), values);
        frame.Run(generation, ref change);
        if (!change.IsDone)
        {
            Throw.NotAbove();
        }
    }

    /// <summary>Inserts or replaces an entry with a zero-filled value, which the caller fills in before its next call.</summary>
    internal Span<byte> Reserve(long generation, int index, scoped ReadOnlySpan<byte> key)
    {
        Run(generation, EntryAction.Reserve, index, key, default, hasValue: false);
        return changes.ReservedValue;
    }

    /// <summary>Deletes an entry; false if the key does not exist.</summary>
    internal bool Delete(long generation, int index, ReadOnlySpan<byte> key) =>
        Run(generation, EntryAction.Delete, index, key, default, hasValue: false);

    /// <summary>Deletes the entries with from ≤ key &lt; to and returns their number.</summary>
    internal long DeleteRange(long generation, int index, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        TreeShape shape = open.Living(index).Shape;
        CheckKey(shape, from);
        CheckKey(shape, to);
        frame.CheckUsable();
        RangeChange change = new(changes.Fixed, index, from, to);
        frame.Run(generation, ref change);
        return change.Deleted;
    }

    /// <summary>Applies an operation of a record to a fixed-size tree; false if the tree is none, or the operation not for one.</summary>
    internal bool TryApply(long generation, int index, in RedoReader redo)
    {
        if (open[index].Shape.Kind != TreeKind.Fixed)
        {
            return false;
        }

        switch (redo.Operation)
        {
            case RedoOperation.Put:
                if (!TryAppend(generation, index, redo.Key, redo.Value))
                {
                    Put(generation, index, redo.Key, redo.Value);
                }

                return true;
            case RedoOperation.Delete:
                Delete(generation, index, redo.Key);
                return true;
            case RedoOperation.DeleteRange:
                DeleteRange(generation, index, redo.Key, redo.Value);
                return true;
            default:
                return false;
        }
    }

    private bool Run(
        long generation, EntryAction action, int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, bool hasValue = true)
    {
        TreeShape shape = open.Living(index).Shape;
        CheckKey(shape, key);
        if (hasValue && value.Length != shape.ValueBytes)
        {
            Throw.WrongValueLength(value.Length, shape.ValueBytes);
        }

        frame.CheckUsable();
        EntryChange change = new(changes, action, index, key, value);
        frame.Run(generation, ref change);
        return change.IsDone;
    }

    private static void CheckKey(TreeShape shape, ReadOnlySpan<byte> key)
    {
        if (key.Length != shape.KeyBytes || !FixedKey.IsNormal(shape.KeyKind, key))
        {
            Throw.NoFixedKey(key.Length, shape.KeyKind);
        }
    }

    private enum EntryAction
    {
        None,
        Put,
        Add,
        Append,
        Reserve,
        Delete,
    }

    private ref struct EntryChange(TreeChanges changes, EntryAction action, int tree, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
        : SessionFrame.IChange
    {
        private readonly ReadOnlySpan<byte> _key = key;
        private readonly ReadOnlySpan<byte> _value = value;

        internal bool IsDone { get; private set; }

        public void Run()
        {
            switch (action)
            {
                case EntryAction.Append:
                    IsDone = changes.Fixed.TryAppend(tree, _key, _value);
                    break;
                case EntryAction.Put:
                    changes.Fixed.Put(tree, _key, _value);
                    break;
                case EntryAction.Add:
                    IsDone = changes.Fixed.Add(tree, _key, _value);
                    break;
                case EntryAction.Delete:
                    IsDone = changes.Fixed.Delete(tree, _key);
                    break;
                case EntryAction.Reserve:
                    changes.ReserveFixed(tree, _key);
                    break;
                default:
                    changes.PutReserved();
                    break;
            }
        }
    }

    private ref struct ColumnsChange(FixedChanges changes, int tree, ReadOnlySpan<byte> keys, ReadOnlySpan<byte> values)
        : SessionFrame.IChange
    {
        private readonly ReadOnlySpan<byte> _keys = keys;
        private readonly ReadOnlySpan<byte> _values = values;

        internal bool IsDone { get; private set; }

        public void Run() => IsDone = changes.TryAppendColumns(tree, _keys, _values);
    }

    private ref struct RangeChange(FixedChanges changes, int tree, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to) : SessionFrame.IChange
    {
        private readonly ReadOnlySpan<byte> _from = from;
        private readonly ReadOnlySpan<byte> _to = to;

        internal long Deleted { get; private set; }

        public void Run() => Deleted = changes.DeleteRange(tree, _from, _to);
    }
}
