using Voron.Storage.Commits;
using Voron.Storage.IO;
using Voron.Storage.Threads;
using Voron.Storage.Transactions;

namespace Voron.Storage.Engine;

/// <content>Beginning transactions, and waiting for locks and checkpoints.</content>
internal sealed partial class Database
{
    private static readonly TimeSpan ThreadPatience = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan PoolThreadPatience = TimeSpan.FromSeconds(10);

    internal ReaderSlot BeginRead()
    {
        ThrowIfDisposed();
        ReaderSlot slot = _parts.Readers.Begin();
        if (Volatile.Read(ref _state) != 0)
        {
            // Dispose began in between. It waits for this slot or has not seen it, so release the slot before anything is read.
            slot.Release(slot.Occupant);
            ThrowIfDisposed();
        }

        return slot;
    }

    /// <summary>Begins a write transaction; null if the writer lock was not free in time.</summary>
    internal WriteHandle? BeginWrite(TimeSpan timeout)
    {
        ThrowIfNotWritable();
        if (_flusher is not null)
        {
            _brake.Apply(_pressure.Brake);
        }

        return EnterWriterLock(timeout) ? BeginLocked() : null;
    }

    /// <summary>
    /// Waits for the writer lock, but not for ever for a transaction that only the calling thread itself could end. Inside an action of
    /// WriteAsync that is certain. A transaction that this thread began may have been handed to another thread or to a task that awaits;
    /// then it is used sooner or later. If it is not used while this thread waits for long, it never will be. A wait with a timeout is not
    /// examined: it ends by itself.
    /// </summary>
    private bool EnterWriterLock(TimeSpan timeout)
    {
        WriteSession session = _parts.Session;
        while (session.IsBegunHere && timeout == Timeout.InfiniteTimeSpan)
        {
            if (session.IsShared)
            {
                Transactions.Throw.BeginInsideAction();
            }

            // Threads of the pool run other work while a transaction that was begun on them awaits, so they get more time.
            TimeSpan patience = Thread.CurrentThread.IsThreadPoolThread ? PoolThreadPatience : ThreadPatience;
            uint uses = session.Uses;
            if (_parts.Pipeline.Lock.TryEnter(patience))
            {
                return true;
            }

            if (session.IsBegunHere && session.Uses == uses)
            {
                Transactions.Throw.BeginInside();
            }
        }

        return _parts.Pipeline.Lock.TryEnter(timeout);
    }

    /// <summary>Like <see cref="BeginWrite"/>, without blocking a thread.</summary>
    internal async ValueTask<WriteHandle?> BeginWriteAsync(TimeSpan timeout, CancellationToken cancellationToken, bool applies = false)
    {
        cancellationToken.ThrowIfCancellationRequested();
        ThrowIfNotWritable(applies);
        if (_flusher is not null)
        {
            await _brake.ApplyAsync(_pressure.Brake, cancellationToken).OnAnyThread();
        }

        bool entered = await _parts.Pipeline.Lock.TryEnterAsync(timeout, cancellationToken).OnAnyThread();
        return entered ? BeginLocked(applies) : null;
    }

    /// <summary>Runs an action in a transaction that it shares with others.</summary>
    internal void Share(SharedWrite write)
    {
        ThrowIfNotWritable();
        _shared.Add(write);
    }

    /// <summary>Returns when a sealed transaction is as durable as the mode promises.</summary>
    internal void Complete(CommitGroupId ticket, CommitMode mode) => _parts.Pipeline.Complete(ticket, mode);

    /// <summary>Makes everything committed so far durable.</summary>
    internal void Flush()
    {
        _parts.Pipeline.BeginFlush();
        try
        {
            ThrowIfDisposed();
            if (!_options.ReadOnly)
            {
                _parts.Commits.Flush();
            }
        }
        finally
        {
            _parts.Pipeline.EndFlush();
        }
    }

    /// <summary>Like <see cref="Flush"/>, without blocking a thread.</summary>
    internal async ValueTask FlushAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        _parts.Pipeline.BeginFlush();
        try
        {
            ThrowIfDisposed();
            if (_options.ReadOnly)
            {
                return;
            }

            await _parts.Commits.FlushAsync().AsTask().WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            _parts.Pipeline.EndFlush();
        }
    }

    internal EnvironmentReport GetReport()
    {
        ThrowIfDisposed();
        return DatabaseReport.Make(
            _parts, _checkpointer, _readerWatch, _pressure, _brake, _limit.Blocked, _flusher?.Trouble);
    }

    /// <summary>Under a scheduler, which knows only its own threads, the calling thread waits.</summary>
    private async ValueTask<WriteHandle> BeginSharedAsync() => Scheduling.Current is null
        ? (await BeginWriteAsync(Timeout.InfiniteTimeSpan, CancellationToken.None).ConfigureAwait(false))!
        : BeginWrite(Timeout.InfiniteTimeSpan)!;

    /// <summary>Begins the transaction of a caller that holds the writer lock.</summary>
    private WriteHandle BeginLocked(bool applies = false)
    {
        WriteHandle? lease = null;
        try
        {
            ThrowIfNotWritable(applies);
            lease = _parts.Session.Begin();
            _limit.Meet();
            return lease;
        }
        catch
        {
            _parts.Session.Abandon(lease);
            throw;
        }
    }

    internal void ThrowIfNotWritable(bool applies = false)
    {
        (applies ? null : Refuse)?.Invoke();
        ThrowIfDisposed();
        ThrowIfReadOnly();
        if (Source is not null && !applies)
        {
            Throw.Follower(_parts.File.Path);
        }

        _parts.Pipeline.FailStop.ThrowIfPoisoned();
    }
}
