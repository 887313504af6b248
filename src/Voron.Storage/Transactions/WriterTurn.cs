using Voron.Storage.Platform;

namespace Voron.Storage.Transactions;

/// <summary>
/// A place in the line before the writer lock: of a thread, which waits on the word, or of an asynchronous caller. All but the word is
/// changed under the line's gate.
/// </summary>
internal sealed class WriterTurn(ITurns? turns, bool isAsync)
{
    private readonly TaskCompletionSource<bool>? _completion =
        isAsync ? new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously) : null;

    private readonly WaitWord? _word = isAsync ? null : new WaitWord(turns);
    private bool _isGranted;

    internal bool IsAsync => isAsync;

    internal WriterTurn? Next { get; set; }

    internal WriterTurn? Previous { get; set; }

    internal bool IsInLine { get; set; }

    /// <summary>How often the lock was left and this turn, the first in line, may not have got it.</summary>
    internal int PassedOver { get; set; }

    /// <summary>The lock was handed over.</summary>
    internal bool IsGranted => Volatile.Read(ref _isGranted);

    /// <summary>Of an asynchronous caller: true when it has the lock, false when its time is over.</summary>
    internal Task<bool> Completion => _completion!.Task;

    internal int Seen => _word!.Value;

    internal void Begin()
    {
        PassedOver = 0;
        Volatile.Write(ref _isGranted, false);
    }

    /// <summary>
    /// The turn has the lock. Under the gate, with the step out of the line: a thread that gives up just then has the lock, and its turn
    /// may be another one's before this call's caller goes on.
    /// </summary>
    internal void Grant() => Volatile.Write(ref _isGranted, true);

    /// <summary>Wakes whoever was granted the lock; one wake-up too many does no harm.</summary>
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

    /// <summary>False: the time was over.</summary>
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
