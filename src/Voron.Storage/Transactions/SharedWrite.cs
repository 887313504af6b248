namespace Voron.Storage.Transactions;

/// <summary>One caller's part of a transaction shared by several callers.</summary>
internal abstract class SharedWrite
{
    private const int Waiting = 0;
    private const int Taken = 1;
    private const int Cancelled = 2;

    private int _state;

    internal bool IsCancelled => Volatile.Read(ref _state) == Cancelled;

    /// <summary>The transaction that the action runs in; null when it is not running.</summary>
    internal WriteHandle? Lease { get; set; }

    /// <summary>Runs the user's code, which has the transaction to itself meanwhile.</summary>
    internal abstract void Run();

    /// <summary>Tells the caller that the commit is durable.</summary>
    internal abstract void Succeed();

    /// <summary>Passes the caller the error: nothing was committed, unless the error says otherwise.</summary>
    internal abstract void Fail(Exception error);

    /// <summary>Claims the part for running; false if its caller has cancelled it.</summary>
    internal bool TryTake() => Interlocked.CompareExchange(ref _state, Taken, Waiting) == Waiting;

    /// <summary>Cancels the part; false if it was already taken.</summary>
    private protected bool TryCancel() => Interlocked.CompareExchange(ref _state, Cancelled, Waiting) == Waiting;

    private protected void Begin() => Volatile.Write(ref _state, Waiting);
}
