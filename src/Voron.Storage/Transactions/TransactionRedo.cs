using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Platform;

namespace Voron.Storage.Transactions;

/// <summary>
/// What the write transaction notes for the journal: results in the order of the calls, each tree named once before its operations. A long
/// transaction's notes leave as fragments before its commit. During replay only puts are noted, to be made together, and nothing leaves.
/// </summary>
/// <param name="line">Where the notes go.</param>
/// <param name="trees">The names of the trees.</param>
/// <param name="fragmentBytes">Longer notes leave as a fragment.</param>
internal sealed partial class TransactionRedo(CommitLine line, OpenTreeTable trees, int fragmentBytes)
{
    private readonly RedoWriter _writer = new();
    private TransactionId _id;
    private int _selected = -1;
    private uint _fragments;
    private bool _isReplay;

    /// <summary>Recovery's transactions are in the journal already.</summary>
    internal bool IsReplay => _isReplay;

    /// <summary>The notes since the beginning or since the last fragment left.</summary>
    internal ReadOnlySpan<byte> Notes => _writer.Written;

    /// <summary>The notes are to leave as a fragment before more is noted.</summary>
    internal bool IsLong => _writer.Written.Length >= fragmentBytes;

    internal bool HasChanges => _writer.OperationBytes > 0 || _fragments > 0;

    internal void Begin(TransactionId id, bool isReplay)
    {
        _id = id;
        _isReplay = isReplay;
        _selected = -1;
        _fragments = 0;
        _marks.Clear();
        _writer.Reset();
    }

    /// <summary>Returns where in <see cref="Notes"/> the key stands; the value follows it.</summary>
    internal int Put(int tree, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        Select(tree);
        return _writer.Put(key, value);
    }

    internal void PutPlaced(int tree, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> runs)
    {
        if (!_isReplay)
        {
            Select(tree);
            _writer.PutPlaced(key, runs);
        }
    }

    internal void Delete(int tree, ReadOnlySpan<byte> key)
    {
        if (!_isReplay)
        {
            Select(tree);
            _writer.Delete(key);
        }
    }

    internal void DeleteRange(int tree, ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        if (!_isReplay)
        {
            Select(tree);
            _writer.DeleteRange(from, to);
        }
    }

    internal void RenameTree(ReadOnlySpan<byte> name, ReadOnlySpan<byte> newName)
    {
        if (!_isReplay)
        {
            _selected = -1;
            _writer.RenameTree(name, newName);
        }
    }

    internal void CreateTree(TreeKind kind, ReadOnlySpan<byte> name)
    {
        if (!_isReplay)
        {
            _writer.CreateTree(kind, name);
        }
    }

    internal void DropTree(ReadOnlySpan<byte> name)
    {
        if (!_isReplay)
        {
            _selected = -1;
            _writer.DropTree(name);
        }
    }

    /// <summary>Starts the commit record on its way; false when that cannot be now.</summary>
    internal bool TryStart(CommitMode mode) => line.TryStart(_id, _writer.Written, _fragments, mode);

    /// <summary>Puts the commit record into the journal's stream.</summary>
    internal CommitTicket Seal(CommitMode mode) => line.Seal(_id, _writer.Written, _fragments, mode);

    private void Select(int tree)
    {
        if (_selected != tree)
        {
            _writer.SelectTree(trees.NameOf(tree));
            _selected = tree;
        }
    }

    /// <summary>
    /// What was noted so far leaves as a fragment, or is forgotten in replay. It must have been made in the trees: the notes are gone
    /// afterwards.
    /// </summary>
    internal void SendFragment()
    {
        if (!_isReplay)
        {
            NoteSavepoints();
            line.SealFragment(_id, _writer.Written, _fragments);
        }

        _fragments++;
        _writer.Continue();
    }
}
