using System.Buffers;
using System.Collections;
using System.Runtime.InteropServices;
using System.Text;
using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.History;

/// <summary>Goes through the redo of one transaction and makes changes of what was not undone and passes the filter.</summary>
internal sealed class ChangeCursor(TransactionChanges changes, long version) : IEnumerator<Change>
{
    private ReadOnlyMemory<byte> _bytes;
    private int _part = -1;
    private int _at;

    /// <summary>Number of the operation in its transaction.</summary>
    private long _operation = -1;
    private byte[] _tree = [];
    private string _treeText = string.Empty;
    private bool _passesTree;

    public Change Current { get; private set; }

    object IEnumerator.Current => Current;

    public bool MoveNext() => MoveNext(withValues: true);

    internal bool MoveNext(bool withValues)
    {
        if (version != changes.Version)
        {
            Throw.StaleSet();
        }

        while (TryNextPart())
        {
            ReadOnlySpan<byte> rest = _bytes.Span[_at..];
            RedoReader redo = new(rest, isFirst: _part == 0 && _at == 0);
            if (!redo.MoveNext())
            {
                _at = _bytes.Length;
                continue;
            }

            _at = _bytes.Length - redo.RestBytes;
            _operation++;
            if (changes.Undone?.Contains(_operation) != true && Take(redo, withValues))
            {
                return true;
            }
        }

        Current = default;
        return false;
    }

    public void Reset()
    {
        _bytes = default;
        _part = -1;
        _at = 0;
        _operation = -1;
        _tree = [];
    }

    public void Dispose()
    {
    }

    private bool TryNextPart()
    {
        while (_at == _bytes.Length)
        {
            if (_part + 1 >= changes.Parts)
            {
                return false;
            }

            _bytes = changes.Part(++_part);
            _at = 0;
        }

        return true;
    }

    /// <summary>Makes the operation the current change; false if it is none, or the filter does not let it pass.</summary>
    private bool Take(in RedoReader redo, bool withValues)
    {
        switch (redo.Operation)
        {
            case RedoOperation.SelectTree:
                Select(redo.Key);
                return false;
            case RedoOperation.Savepoint or RedoOperation.RollbackTo or RedoOperation.Release or RedoOperation.Time:
                return false;
            case RedoOperation.CreateTree or RedoOperation.CreateTreeOf:
                return TakeTree(ChangeKind.CreateTree, redo);
            case RedoOperation.DropTree:
                return TakeTree(ChangeKind.DropTree, redo);
            case RedoOperation.RenameTree:
                return TakeTree(ChangeKind.RenameTree, redo);
            case RedoOperation.Put or RedoOperation.PutPlaced or RedoOperation.Delete or RedoOperation.DeleteRange
                or RedoOperation.DeletePair when _tree.Length > 0:
                return _passesTree && TakeEntry(redo, withValues);
            default:
                Throw.BadOperation(changes.Id, redo.Operation);
                return false;
        }
    }

    private void Select(ReadOnlySpan<byte> name)
    {
        if (!name.SequenceEqual(_tree))
        {
            _tree = name.ToArray();
            _treeText = Encoding.UTF8.GetString(_tree);
            _passesTree = changes.Rules.PassesTree(_tree);
        }
    }

    private bool TakeTree(ChangeKind kind, in RedoReader redo)
    {
        bool passes = changes.Rules.PassesTree(redo.Key) || (kind == ChangeKind.RenameTree && changes.Rules.PassesTree(redo.Value));
        if (passes)
        {
            byte[] name = redo.Key.ToArray();
            ReadOnlySequence<byte> value = new(redo.Value.ToArray());
            Current = new Change(kind, Encoding.UTF8.GetString(name), name, default, value);
        }

        return passes;
    }

    private bool TakeEntry(in RedoReader redo, bool withValues)
    {
        // Key and value are the last bytes of the operation.
        ReadOnlyMemory<byte> value = _bytes.Slice(_at - redo.Value.Length, redo.Value.Length);
        ReadOnlyMemory<byte> key = _bytes.Slice(_at - redo.Value.Length - redo.Key.Length, redo.Key.Length);
        if (redo.Operation == RedoOperation.DeleteRange)
        {
            if (!changes.Rules.TryCut(ref key, ref value))
            {
                return false;
            }

            Make(ChangeKind.DeleteRange, key, new ReadOnlySequence<byte>(value));
            return true;
        }

        if (!changes.Rules.PassesKey(key.Span))
        {
            return false;
        }

        switch (redo.Operation)
        {
            case RedoOperation.Delete:
                Make(ChangeKind.Delete, key, ReadOnlySequence<byte>.Empty);
                break;
            case RedoOperation.DeletePair:
                Make(ChangeKind.DeletePair, key, new ReadOnlySequence<byte>(value));
                break;
            case RedoOperation.Put:
                Make(ChangeKind.Put, key, new ReadOnlySequence<byte>(value));
                break;
            default:
                Make(ChangeKind.Put, key, withValues ? changes.Placed.Read(changes.Id, redo.Runs) : ReadOnlySequence<byte>.Empty);
                break;
        }

        return true;
    }

    private void Make(ChangeKind kind, ReadOnlyMemory<byte> key, ReadOnlySequence<byte> value) =>
        Current = new Change(kind, _treeText, _tree, key, value);
}
