using Voron.Storage.Commits;
using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.Transactions;

/// <summary>
/// The write transaction's redo for the journal: the effects in call order, with each tree selected by name before its operations. A long
/// transaction sends its redo as fragments before its commit. In replay only puts are recorded, for applying them in batches, and nothing
/// is sent.
/// </summary>
/// <param name="pipeline">Receives the redo.</param>
/// <param name="trees">Gives the names of the trees.</param>
/// <param name="fragmentBytes">Bytes of redo from which on it is sent as a fragment.</param>
internal sealed partial class TransactionRedo(CommitPipeline pipeline, OpenTreeTable trees, int fragmentBytes)
{
    /// <summary>The clock decides about the time.</summary>
    private const long ByClock = -1;

    private readonly RedoWriter _writer = new();
    private TransactionId _id;
    private int _selected = -1;
    private uint _fragments;
    private bool _isReplay;

    /// <summary>The time to note at the seal, in ticks; 0 for none.</summary>
    private long _ticks;

    /// <summary>Decides whether a commit notes its time; null if none does.</summary>
    internal CommitTimes? Times { get; set; }

    /// <summary>Whether this is a replay, whose transactions are already in the journal.</summary>
    internal bool IsReplay => _isReplay;

    /// <summary>The redo since the beginning or since the last fragment was sent.</summary>
    internal ReadOnlySpan<byte> Notes => _writer.Written;

    /// <summary>Whether the redo must be sent as a fragment before more is added.</summary>
    internal bool IsLong => _writer.Written.Length >= fragmentBytes;

    /// <summary>Returns whether all redo of the transaction, and this many bytes more, is at most that long.</summary>
    internal bool FitsIn(int mostBytes, int moreBytes) => _fragments == 0 && _writer.Written.Length <= mostBytes - moreBytes;

    /// <summary>
    /// Whether the transaction is committed even if it changes nothing: its number is taken from elsewhere, or it moves pending entries.
    /// </summary>
    internal bool SealsEmpty { get; set; }

    internal bool HasChanges => SealsEmpty || _writer.OperationBytes > 0 || _fragments > 0;

    internal void Begin(TransactionId id, bool isReplay)
    {
        _id = id;
        _isReplay = isReplay;
        _selected = -1;
        _fragments = 0;
        SealsEmpty = false;
        _ticks = ByClock;
        _marks.Clear();
        _writer.Reset();
    }

    /// <summary>Begins a transaction that is not in the journal. As in replay, nothing is sent.</summary>
    internal void BeginUnlogged(TransactionId id)
    {
        Begin(id, isReplay: true);
        SealsEmpty = true;
    }

    /// <summary>Returns the key's offset in <see cref="Notes"/>; the value follows it.</summary>
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

    /// <summary>Notes a pair that is added at once.</summary>
    internal void NotePair(int tree, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        if (!_isReplay)
        {
            Put(tree, key, value);
        }
    }

    internal void DeletePair(int tree, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        if (!_isReplay)
        {
            Select(tree);
            _writer.DeletePair(key, value);
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

    internal void CreateTree(TreeShape shape, ReadOnlySpan<byte> name)
    {
        if (_isReplay)
        {
            return;
        }

        if (shape == TreeShape.Ordered)
        {
            _writer.CreateTree(shape.Kind, name);
        }
        else
        {
            _writer.CreateTreeOf(shape, name);
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

    /// <summary>
    /// Makes the transaction the one of another database: it is committed even if it changes nothing, and has the time that it had there.
    /// </summary>
    /// <param name="ticks">The time in ticks; 0 if it noted none.</param>
    internal void TakeOver(long ticks)
    {
        SealsEmpty = true;
        _ticks = ticks;
    }

    /// <summary>Starts writing the commit record; false if no write can be started now.</summary>
    internal bool TryStart(CommitMode mode)
    {
        NoteTime();
        return pipeline.TryStart(_id, _writer.Written, _fragments, mode);
    }

    /// <summary>Adds the commit record to the journal's current commit group.</summary>
    internal CommitGroupId Seal(CommitMode mode)
    {
        NoteTime();
        return pipeline.Seal(_id, _writer.Written, _fragments, mode);
    }

    /// <summary>Notes the time of the transaction, once, if it has one.</summary>
    private void NoteTime()
    {
        if (_ticks == 0 || Times is null)
        {
            return;
        }

        long ticks = _ticks == ByClock ? Times.Take() : _ticks;
        if (ticks != 0)
        {
            Times.BeforeNote();
            _writer.Time(ticks);
        }

        _ticks = 0;
    }

    private void Select(int tree)
    {
        if (_selected != tree)
        {
            _writer.SelectTree(trees.NameOf(tree));
            _selected = tree;
        }
    }

    /// <summary>
    /// Sends the redo so far as a fragment, or discards it in replay. It must already be applied to the trees, because the redo is cleared
    /// afterwards.
    /// </summary>
    internal void SendFragment()
    {
        if (!_isReplay)
        {
            NoteSavepoints();
            pipeline.SealFragment(_id, _writer.Written, _fragments);
        }

        _fragments++;
        _writer.Continue();
    }
}
