using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Structures;

namespace Voron.Storage.Transactions;

/// <summary>The multi-value trees of the write transaction, as <see cref="SessionTrees"/> are the ordered ones.</summary>
internal sealed class SessionMultiTrees(SessionFrame frame, OpenTreeTable open, TreeChanges changes, StorageLimits limits)
{
    /// <summary>Returns a tree for reading. All its changes are made at once, so there is nothing to apply.</summary>
    internal ref OpenTree At(int index) => ref open.Living(index);

    /// <summary>Adds a pair; false if it exists.</summary>
    internal bool Add(long generation, int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        Check(index, key, value);
        PairChange change = new(changes.Multi, PairAction.Add, index, key, value);
        frame.Run(generation, ref change);
        return change.IsDone;
    }

    /// <summary>Adds a pair above all others; an argument error, with nothing changed, if it is not.</summary>
    internal void Append(long generation, int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        if (!TryAppend(generation, index, key, value))
        {
            Throw.PairNotAbove();
        }
    }

    /// <summary>Adds a pair above all others; false, with nothing changed, if it is not.</summary>
    internal bool TryAppend(long generation, int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        Check(index, key, value);
        PairChange change = new(changes.Multi, PairAction.Append, index, key, value);
        frame.Run(generation, ref change);
        return change.IsDone;
    }

    /// <summary>Deletes a pair; false if it does not exist.</summary>
    internal bool Delete(long generation, int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        Check(index, key, value);
        PairChange change = new(changes.Multi, PairAction.Delete, index, key, value);
        frame.Run(generation, ref change);
        return change.IsDone;
    }

    /// <summary>Deletes all pairs of a key and returns their number.</summary>
    internal long DeleteAll(long generation, int index, ReadOnlySpan<byte> key)
    {
        CheckKey(index, key);
        RangeChange change = new(changes.Multi, index, key, default, isKey: true);
        frame.Run(generation, ref change);
        return change.Deleted;
    }

    /// <summary>Deletes the pairs with from ≤ key &lt; to and returns their number.</summary>
    internal long DeleteRange(long generation, int index, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        limits.CheckKey(to);
        CheckKey(index, from);
        RangeChange change = new(changes.Multi, index, from, to, isKey: false);
        frame.Run(generation, ref change);
        return change.Deleted;
    }

    /// <summary>Applies an operation of a record to a multi-value tree; false if the tree is none, or the operation not for one.</summary>
    internal bool TryApply(long generation, int index, in RedoReader redo)
    {
        if (open[index].Shape.Kind != TreeKind.Multi)
        {
            return false;
        }

        switch (redo.Operation)
        {
            case RedoOperation.Put:
                Add(generation, index, redo.Key, redo.Value);
                return true;
            case RedoOperation.DeletePair:
                Delete(generation, index, redo.Key, redo.Value);
                return true;
            case RedoOperation.Delete:
                DeleteAll(generation, index, redo.Key);
                return true;
            case RedoOperation.DeleteRange:
                DeleteRange(generation, index, redo.Key, redo.Value);
                return true;
            default:
                return false;
        }
    }

    internal static void CheckValue(int valueBytes, ReadOnlySpan<byte> value)
    {
        if (valueBytes != TreeShape.AnyLength && value.Length != valueBytes)
        {
            Throw.WrongValueLength(value.Length, valueBytes);
        }
    }

    private void Check(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        CheckValue(open.Living(index).Shape.ValueBytes, value);
        int bytes = MultiKey.LengthOf(key) + value.Length;
        if (bytes > limits.MaxKeyBytes)
        {
            Throw.PairTooLong(key.Length, value.Length, bytes, limits.MaxKeyBytes);
        }

        frame.CheckUsable();
    }

    private void CheckKey(int index, ReadOnlySpan<byte> key)
    {
        limits.CheckKey(key);
        frame.CheckUsable();
        open.Living(index);
    }

    private enum PairAction
    {
        Add,
        Append,
        Delete,
    }

    private ref struct PairChange(MultiChanges changes, PairAction action, int tree, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
        : SessionFrame.IChange
    {
        private readonly ReadOnlySpan<byte> _key = key;
        private readonly ReadOnlySpan<byte> _value = value;

        internal bool IsDone { get; private set; }

        public void Run() => IsDone = action switch
        {
            PairAction.Add => changes.Add(tree, _key, _value),
            PairAction.Append => changes.TryAppend(tree, _key, _value),
            _ => changes.Delete(tree, _key, _value),
        };
    }

    private ref struct RangeChange(MultiChanges changes, int tree, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to, bool isKey)
        : SessionFrame.IChange
    {
        private readonly ReadOnlySpan<byte> _from = from;
        private readonly ReadOnlySpan<byte> _to = to;

        internal long Deleted { get; private set; }

        public void Run() => Deleted = isKey ? changes.DeleteAll(tree, _from) : changes.DeleteRange(tree, _from, _to);
    }
}
