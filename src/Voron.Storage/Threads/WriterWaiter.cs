namespace Voron.Storage.Threads;

/// <summary>
/// A waiter queued for the writer lock: a thread blocked on the futex word, or an asynchronous caller awaiting <see cref="Completion"/>.
/// Everything but the word is changed under the queue's lock.
/// </summary>
internal sealed class WriterWaiter(bool isAsync)
{
    private readonly TaskCompletionSource<bool>? _completion =
        isAsync ? new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously) : null;

    private readonly WaitWord? _word = isAsync ? null : new WaitWord();
    private bool _isGranted;

    internal bool IsAsync => isAsync;

    internal WriterWaiter? Next { get; set; }

    internal WriterWaiter? Previous { get; set; }

    internal bool IsQueued { get; set; }

    /// <summary>How often this waiter was woken as the first in the queue; each time another caller may have taken the lock.</summary>
    internal int PassedOver { get; set; }

    /// <summary>Whether the lock was handed to this waiter.</summary>
    internal bool IsGranted => Volatile.Read(ref _isGranted);

    /// <summary>For an asynchronous caller: true when it has the lock, false when its timeout has expired.</summary>
    internal Task<bool> Completion => _completion!.Task;

    internal int Seen => _word!.Value;

    internal void Begin()
    {
        PassedOver = 0;
        Volatile.Write(ref _isGranted, false);
    }

    /// <summary>
    /// Marks the lock as handed over. Requires the gate, in the same scope as the removal from the queue: a thread that times out just then
    /// has the lock, and may wait for another lock before the caller of this method continues.
    /// </summary>
    internal void Grant() => Volatile.Write(ref _isGranted, true);

    /// <summary>Wakes the waiter that was granted the lock; a spurious wake-up is harmless.</summary>
    internal void Tell()
    {
        if (_completion is null)
        {
            Wake();
        }
        else
        {
            _completion.SetResult(true);
        }
    }

    internal void Wake()
    {
        _word!.Increment();
        _word.WakeOne();
    }

    /// <summary>Blocks until woken; false when the timeout has expired.</summary>
    internal bool Wait(int seen, TimeSpan timeout) => _word!.Wait(seen, timeout);

    internal void GiveUp(CancellationToken cancelled)
    {
        if (cancelled.IsCancellationRequested)
        {
            _completion!.SetCanceled(cancelled);
        }
        else
        {
            _completion!.SetResult(false);
        }
    }
}
