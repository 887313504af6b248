using Voron.Storage.Transactions;

namespace Voron.Storage.Engine;

/// <summary>
/// The database of an environment. If that is read-only and follows a writer, the database is replaced by one at a later checkpoint now and
/// then; the earlier one is closed when no read transaction uses it any more.
/// </summary>
internal sealed class FollowedDatabase : IDisposable
{
    private readonly Func<Database>? _open;
    private readonly Func<Database>? _reopen;
    private readonly StorageOptions? _options;
    private readonly Lock _refreshing = new();

    /// <summary>Databases at earlier checkpoints, which read transactions still use. Guarded by <see cref="_refreshing"/>.</summary>
    private readonly List<Database> _earlier = [];
    private readonly ITimer? _timer;
    private volatile Database _present;

    /// <summary>Whether another one may take its place, for which a reader then waits that finds it closed.</summary>
    private volatile bool _isReplaceable;
    private bool _isDisposed;

    /// <param name="opened">The open database.</param>
    /// <param name="options">The options that it was opened with.</param>
    /// <param name="reopen">Opens it once more; null for one in memory.</param>
    internal FollowedDatabase(Database opened, StorageOptions options, Func<Database>? reopen)
    {
        _present = opened;
        _options = options;
        _open = reopen;
        _reopen = opened.Follower is null ? null : reopen;
        if (options.FollowInterval is { } interval && _reopen is not null)
        {
            using AsyncFlowControl detached = ExecutionContext.SuppressFlow();
            _timer = options.TimeProvider.CreateTimer(_ => RefreshInBackground(), null, interval, interval);
        }
    }

    internal Database Present => _present;

    internal ReaderSlot BeginRead() => _reopen is null && !_isReplaceable ? _present.BeginRead() : BeginReadOfNewest();

    /// <summary>
    /// Brings the database to the newest durable state of its writer. Returns whether that is newer than the state before.
    /// </summary>
    internal bool Refresh()
    {
        lock (_refreshing)
        {
            _earlier.RemoveAll(TryClose);
            Database present = _present;
            present.ThrowIfDisposed();
            if (_reopen is null || present.Follower is not { } follower)
            {
                return false;
            }

            long before = present.Parts.Versions.Visible.Value;
            if (!follower.CanFollow || !follower.TryFollow())
            {
                _present = _reopen();
                _earlier.Add(present);
                _earlier.RemoveAll(TryClose);
            }

            return _present.Parts.Versions.Visible.Value > before;
        }
    }

    /// <summary>Lets readers wait while <see cref="Replace"/> runs.</summary>
    internal void MakeReplaceable() => _isReplaceable = true;

    /// <summary>
    /// Closes the database and opens it again, with what its journal has: waits for its transactions, while new ones wait for the next.
    /// </summary>
    /// <param name="closed">Called while the database is closed.</param>
    /// <param name="prepare">Called before any caller sees the next database.</param>
    /// <exception cref="StorageBusyException">Transactions were still open after the time-out; nothing was closed.</exception>
    internal void Replace(Action closed, Action<Database> prepare)
    {
        lock (_refreshing)
        {
            _present.Dispose();
            closed();
            Database next = _open!();
            prepare(next);
            _present = next;
        }
    }

    public void Dispose()
    {
        _timer?.Dispose();
        lock (_refreshing)
        {
            _earlier.ForEach(static database => database.Dispose());
            _earlier.Clear();
            _present.Dispose();
            _isDisposed = true;
        }
    }

    /// <summary>Closes a database that no read transaction uses. One that begins just now is waited for another time.</summary>
    private static bool TryClose(Database database)
    {
        try
        {
            if (database.Follower!.IsRead)
            {
                return false;
            }

            database.Dispose();
            return true;
        }
        catch (StorageBusyException)
        {
            return false;
        }
    }

    /// <summary>A database that is replaced between being found and being read refuses the reader, which takes the next one then.</summary>
    private ReaderSlot BeginReadOfNewest()
    {
        while (true)
        {
            Database present = _present;
            try
            {
                return present.BeginRead();
            }
            catch (ObjectDisposedException) when (IsReplaced(present))
            {
            }
        }
    }

    /// <summary>
    /// Whether the reader should try again: the database has a successor, perhaps after waiting for it, or was not closed after all.
    /// </summary>
    private bool IsReplaced(Database database)
    {
        if (!_isReplaceable || database != _present)
        {
            return database != _present;
        }

        lock (_refreshing)
        {
            return database != _present || database.IsOpen;
        }
    }

    /// <summary>A call that finds another one still at work is not needed.</summary>
    private void RefreshInBackground()
    {
        if (!_refreshing.TryEnter())
        {
            return;
        }

        try
        {
            _ = !_isDisposed && Refresh();
        }
        catch (StorageException error)
        {
            _options!.Report(StorageEventKind.RefreshFailed, error.Message, error);
        }
        finally
        {
            _refreshing.Exit();
        }
    }
}
