namespace Voron.Storage.Threads;

/// <summary>FIFO queue of the waiters for the writer lock. Guarded by the gate of <see cref="WriterLock"/>.</summary>
internal sealed class WriterQueue
{
    private WriterWaiter? _last;

    internal WriterWaiter? First { get; private set; }

    internal void Add(WriterWaiter waiter)
    {
        waiter.Previous = _last;
        waiter.Next = null;
        waiter.IsQueued = true;
        if (_last is null)
        {
            First = waiter;
        }
        else
        {
            _last.Next = waiter;
        }

        _last = waiter;
    }

    internal void Remove(WriterWaiter waiter)
    {
        if (waiter.Previous is { } previous)
        {
            previous.Next = waiter.Next;
        }
        else
        {
            First = waiter.Next;
        }

        if (waiter.Next is { } next)
        {
            next.Previous = waiter.Previous;
        }
        else
        {
            _last = waiter.Previous;
        }

        waiter.Next = null;
        waiter.Previous = null;
        waiter.IsQueued = false;
    }
}
