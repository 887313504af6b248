using Voron.Storage.Commits;
using Voron.Storage.IO;
using Voron.Storage.Threads;
using Voron.Storage.Transactions;

namespace Voron.Storage.Engine;

/// <content>How transactions begin, what they wait for, and what is counted of them.</content>
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
            // Dispose began in between; it waits for this slot or has seen none, so the slot goes back before anything is read.
            slot.Release(slot.Transaction);
            ThrowIfDisposed();
        }

        return slot;
    }

    /// <summary>The transaction, begun, or null when the writer lock was not free in time.</summary>
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
    /// WriteAsync that is certain. A transaction that this thread began may have been handed to another thread, or to a task that awaits:
    /// then somebody uses it sooner or later. When nothing does while this thread waits, nothing is going to.
    /// <para>A wait with a limit is not looked into: it ends as it promises.</para>
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

            // Threads of the pool take up other work while a transaction that was begun on them awaits, so they are given more time.
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

    /// <summary>As <see cref="BeginWrite"/>, without a thread that waits for the lock.</summary>
    internal async ValueTask<WriteHandle?> BeginWriteAsync(TimeSpan timeout, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        ThrowIfNotWritable();
        if (_flusher is not null)
        {
            await _brake.ApplyAsync(_pressure.Brake, cancellationToken).OnAnyThread();
        }

        bool entered = await _parts.Pipeline.Lock.TryEnterAsync(timeout, cancellationToken).OnAnyThread();
        return entered ? BeginLocked() : null;
    }

    /// <summary>Lets an action run in a transaction that it shares with others.</summary>
    internal void Share(SharedWrite write)
    {
        ThrowIfNotWritable();
        _shared.Add(write);
    }

    /// <summary>Returns when a sealed transaction is as safe as the mode promises.</summary>
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

    /// <summary>As <see cref="Flush"/>, without a thread that waits.</summary>
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
            _parts, _checkpointer, _readerWatch, _pressure, _brake, Volatile.Read(ref _blockedWriters), _flusher?.Trouble);
    }

    /// <summary>Under a scheduler, which knows only its own threads, the calling thread waits.</summary>
    private async ValueTask<WriteHandle> BeginSharedAsync() => Scheduling.Current is null
        ? (await BeginWriteAsync(Timeout.InfiniteTimeSpan, CancellationToken.None).ConfigureAwait(false))!
        : BeginWrite(Timeout.InfiniteTimeSpan)!;

    /// <summary>Begins the transaction of a caller who has got the writer lock.</summary>
    private WriteHandle BeginLocked()
    {
        WriteHandle? lease = null;
        try
        {
            ThrowIfDisposed();
            _parts.Pipeline.FailStop.ThrowIfPoisoned();
            lease = _parts.Session.Begin();
            _pressure.Reclaimed();
            if (_pressure.IsHard)
            {
                WaitForCheckpoint();
            }

            return lease;
        }
        catch
        {
            _parts.Session.Abandon(lease);
            throw;
        }
    }

    /// <summary>
    /// The hard limit: the writer, who holds the lock, waits for one whole checkpoint. What is left in memory then is what readers hold.
    /// </summary>
    private void WaitForCheckpoint()
    {
        Interlocked.Increment(ref _blockedWriters);
        if (_flusher is null)
        {
            _haste.During(() => RunCheckpoint(_pace));
        }
        else
        {
            _haste.During(_flusher.AskAndWait);
        }

        _parts.Pipeline.ReclaimVersions(everything: true);
        if (_flusher?.Trouble is not { } trouble)
        {
            _pressure.MeasureRetained();
        }
        else if (_pressure.IsHard)
        {
            Throw.JournalFull(trouble);
        }
    }

    private void ThrowIfNotWritable()
    {
        ThrowIfDisposed();
        ThrowIfReadOnly();
        _parts.Pipeline.FailStop.ThrowIfPoisoned();
    }
}
