using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Platform;

namespace Voron.Storage.Transactions;

/// <summary>
/// What the write transaction notes for the journal: results in the order of the calls, each tree named once before its operations. A long
/// transaction's notes leave as fragments before its commit. During replay nothing is noted.
/// </summary>
internal sealed class TransactionRedo(CommitLine line, OpenTreeTable trees)
{
    /// <summary>Longer notes leave as a fragment.</summary>
    private const int FragmentBytes = 4 << 20;

    /// <summary>Recovery puts a transaction's redo body together in one array, so a longer one is refused before it is promised.</summary>
    private const long MaxBytes = 1L << 30;

    private readonly RedoWriter _writer = new();
    private TransactionId _id;
    private int _selected = -1;
    private uint _fragments;
    private long _fragmentBytes;
    private bool _isReplay;

    internal bool HasChanges => _writer.OperationBytes > 0 || _fragments > 0;

    internal void Begin(TransactionId id, bool isReplay)
    {
        _id = id;
        _isReplay = isReplay;
        _selected = -1;
        _fragments = 0;
        _fragmentBytes = 0;
        _writer.Reset();
    }

    /// <summary>
    /// Throws, with nothing changed, when an operation of this size would make the transaction longer than recovery can take.
    /// </summary>
    internal void CheckRoom(long operationBytes)
    {
        if (_fragmentBytes + _writer.Written.Length + operationBytes > MaxBytes)
        {
            Throw.TransactionTooLong(MaxBytes);
        }
    }

    internal void Put(int tree, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        if (!_isReplay)
        {
            Select(tree);
            _writer.Put(key, value);
            SendFragmentIfLong();
        }
    }

    internal void Delete(int tree, ReadOnlySpan<byte> key)
    {
        if (!_isReplay && !Sabotage.Is(SabotageRule.ForgetDeletesInRedo))
        {
            Select(tree);
            _writer.Delete(key);
            SendFragmentIfLong();
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

    /// <summary>Puts the commit record into the journal's stream.</summary>
    internal CommitTicket Seal() => line.Seal(_id, _writer.Written, _fragments);

    private void Select(int tree)
    {
        if (_selected != tree)
        {
            _writer.SelectTree(trees.NameOf(tree));
            _selected = tree;
        }
    }

    private void SendFragmentIfLong()
    {
        if (_writer.Written.Length >= FragmentBytes)
        {
            line.SealFragment(_id, _writer.Written, _fragments++);
            _fragmentBytes += _writer.Written.Length;
            _writer.Continue();
        }
    }
}
