using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Paging;
using Voron.Storage.Pages;
using Voron.Storage.Platform;
using Voron.Storage.Trees;

namespace Voron.Storage.Transactions;

/// <summary>
/// The environment's one write transaction, reused from one to the next: changes trees, one caller at a time, and ends by commit or
/// rollback. A failure after the first change poisons the transaction; arguments are checked before anything changes.
/// </summary>
internal sealed partial class WriteSession : SnapshotScope
{
    private readonly PageWriter _pages;
    private readonly CommitLine _line;
    private readonly TransactionRedo _redo;
    private readonly OpenTreeTable _open = new();
    private readonly TreeChanges _changes;
    private Exception? _poison;
    private OneCaller _caller;

    internal WriteSession(PageWriter pages, CommitLine line, StorageLimits limits, long maxDirtyBytes)
        : base(pages.Source)
    {
        _pages = pages;
        _line = line;
        _redo = new TransactionRedo(line, _open, maxDirtyBytes);
        _changes = new TreeChanges(pages, _redo, _open);
        Limits = limits;
    }

    internal StorageLimits Limits { get; }

    /// <summary>Length of the pieces of a value that is written as a stream.</summary>
    internal int ValuePieceBytes { get; init; } = 1 << 20;

    /// <summary>Begins the transaction after the last sealed one; the caller holds the writer lock.</summary>
    internal long Begin()
    {
        long id = _line.LastSealed.Next.Value;
        _line.ReclaimVersions();
        _pages.Begin(id);
        SetSnapshot(id);
        _redo.Begin(new TransactionId(id), isReplay: false);
        return Generation;
    }

    internal int OpenTree(ReadOnlySpan<byte> name, bool create)
    {
        TreeName.Check(name);
        _caller.Enter();
        try
        {
            int index = _open.Find(name);
            if (index >= 0)
            {
                return index;
            }

            if (Catalog.TryFind(Source, Snapshot, name, out TreeRecord record))
            {
                return _open.Add(name, record);
            }
        }
        finally
        {
            _caller.Leave();
        }

        return create ? CreateTree(name) : -1;
    }

    /// <summary>Drops a tree with all its pages; false when there is none of that name.</summary>
    internal bool DropTree(ReadOnlySpan<byte> name)
    {
        CheckUsable();
        int index = OpenTree(name, create: false);
        if (index < 0)
        {
            return false;
        }

        _caller.Enter();
        try
        {
            _changes.DropTree(index, name);
        }
        catch (Exception error)
        {
            _poison = error;
            throw;
        }
        finally
        {
            _caller.Leave();
        }

        return true;
    }

    /// <summary>A tree to look at, with every change made in it.</summary>
    internal ref OpenTree TreeAt(int index)
    {
        if (_changes.NotedPuts > 0)
        {
            MakeNotedPuts();
        }

        return ref _open.Living(index);
    }

    /// <summary>Grows with every change of the tree; −1 when the transaction has ended.</summary>
    internal int VersionOf(int index) => index < _open.Count ? _open[index].Version : -1;

    /// <summary>Inserts or replaces.</summary>
    internal void Put(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        CheckPut(index, key, value.Length);
        _caller.Enter();
        try
        {
            _changes.Put(index, key, value);
        }
        catch (Exception error)
        {
            _poison = error;
            throw;
        }
        finally
        {
            _caller.Leave();
        }
    }

    /// <summary>Inserts; false, and nothing changed, when the key exists.</summary>
    internal bool TryAdd(int index, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        CheckPut(index, key, value.Length);
        _caller.Enter();
        try
        {
            return _changes.TryAdd(index, key, value);
        }
        catch (Exception error)
        {
            _poison = error;
            throw;
        }
        finally
        {
            _caller.Leave();
        }
    }

    internal bool Delete(int index, ReadOnlySpan<byte> key)
    {
        Limits.CheckKey(key);
        CheckUsable();
        _open.Living(index);
        _caller.Enter();
        try
        {
            return _changes.Delete(index, key);
        }
        catch (Exception error)
        {
            _poison = error;
            throw;
        }
        finally
        {
            _caller.Leave();
        }
    }

    /// <summary>Lets the next writer in and returns when the commit is as safe as the mode promises.</summary>
    internal void Commit(long generation, CommitMode mode)
    {
        CheckNoWriter();

        // What fails behind a record that is on its way poisons the environment, so nothing that may well fail is left for then.
        if (_changes.AreWorthOverlapping && Source.Versions.Memory.IsAmple && TryStart(generation, mode))
        {
            // The device has the record: what is left to do is done while it works.
            _line.Land(FinishStarted());
        }
        else if (Seal(generation, mode) is { IsNone: false } ticket)
        {
            _line.Complete(ticket, mode);
        }
    }

    /// <summary>Lets the next writer in; what is returned ends when the commit is as safe as the mode promises.</summary>
    internal ValueTask CommitAsync(long generation, CommitMode mode) =>
        Seal(generation, mode) is { IsNone: false } ticket ? _line.CompleteAsync(ticket, mode) : ValueTask.CompletedTask;

    /// <summary>
    /// The first half of a commit; no ticket when nothing was changed. When the journal has no room, nothing has happened and the
    /// transaction is still open.
    /// </summary>
    internal CommitTicket Seal(long generation, CommitMode mode)
    {
        CheckUsable();
        CheckNoWriter();
        CommitTicket ticket = default;
        _caller.Enter();
        try
        {
            CheckGeneration(generation);
            if (_redo.HasChanges || _changes.NotedPuts > 0)
            {
                FinishTrees();
                ticket = _redo.Seal(mode);
            }
        }
        catch
        {
            _caller.Leave();
            throw;
        }

        End(committed: !ticket.IsNone);
        return ticket;
    }

    /// <summary>Undoes everything; does nothing when the transaction has ended already.</summary>
    internal void Rollback(long generation)
    {
        if (Generation == generation)
        {
            _caller.Enter();
            End(committed: false);
        }
    }

    /// <summary>Leaves the writer lock when a transaction could not begin.</summary>
    internal void Abandon()
    {
        if (Snapshot != Unused)
        {
            _pages.Rollback();
            Forget();
        }

        _line.LeaveWriterLock();
    }

    /// <summary>Begins the replay of a recovered transaction: the same tree code, but nothing is noted for the journal.</summary>
    internal void BeginReplay(TransactionId id)
    {
        _redo.Begin(id, isReplay: true);
        _line.ReclaimVersions();
        _pages.Begin(id.Value);
        SetSnapshot(id.Value);
    }

    internal void CommitReplayed(RecordMark mark)
    {
        _changes.Finish();
        _pages.Commit();
        _line.StartAt(mark);
        Forget();
    }

    internal void CheckUsable()
    {
        if (_poison is not null)
        {
            Throw.Poisoned(_poison);
        }
    }

    private int CreateTree(ReadOnlySpan<byte> name)
    {
        CheckUsable();
        _caller.Enter();
        try
        {
            return _changes.CreateTree(name);
        }
        catch (Exception error)
        {
            _poison = error;
            throw;
        }
        finally
        {
            _caller.Leave();
        }
    }

    private void CheckPut(int index, ReadOnlySpan<byte> key, int valueBytes)
    {
        Limits.CheckEntry(key, valueBytes);
        CheckUsable();
        _open.Living(index);
    }

    private void MakeNotedPuts()
    {
        CheckUsable();
        _caller.Enter();
        try
        {
            _changes.MakeNotedPuts();
        }
        catch (Exception error)
        {
            _poison = error;
            throw;
        }
        finally
        {
            _caller.Leave();
        }
    }

    private void FinishTrees()
    {
        try
        {
            _changes.Finish();
        }
        catch (Exception error)
        {
            _poison = error;
            throw;
        }
    }

    /// <summary>Seals the transaction before its last puts are made, if its record can be written at once.</summary>
    private bool TryStart(long generation, CommitMode mode)
    {
        CheckUsable();
        bool started = false;
        _caller.Enter();
        try
        {
            CheckGeneration(generation);
            _changes.VerifyNotedPuts();
            return started = _redo.TryStart(mode);
        }
        finally
        {
            if (!started)
            {
                _caller.Leave();
            }
        }
    }

    /// <summary>
    /// Makes the started transaction's pages and ends it. A failure here is not the transaction's any more, whose record may be durable.
    /// </summary>
    private Exception? FinishStarted()
    {
        Exception? failure = null;
        try
        {
            _changes.Finish();
        }
        catch (Exception error)
        {
            failure = error;
        }

        End(committed: failure is null);
        return failure;
    }

    /// <summary>Ends the transaction. The caller has entered; whoever gets the writer lock next finds the session left.</summary>
    private void End(bool committed)
    {
        EndGeneration(Generation);
        if (committed)
        {
            _pages.Commit();
        }
        else
        {
            _pages.Rollback();
        }

        Forget();
        _caller.Leave();
        _line.LeaveWriterLock();
    }

    private void Forget()
    {
        _open.Clear();
        _changes.Forget();
        _openWriters = 0;
        _poison = null;
        SetSnapshot(Unused);
    }
}
