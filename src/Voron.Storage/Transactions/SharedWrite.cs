namespace Voron.Storage.Transactions;

/// <summary>One caller's part of a transaction that several share.</summary>
internal abstract class SharedWrite
{
    private const int Waiting = 0;
    private const int Taken = 1;
    private const int Cancelled = 2;

    private int _state;

    internal bool IsCancelled => Volatile.Read(ref _state) == Cancelled;

    /// <summary>The transaction that the action runs in, while it runs.</summary>
    internal WriteLease? Lease { get; set; }

    /// <summary>The user's code. Nobody else uses the transaction meanwhile.</summary>
    internal abstract void Run();

    /// <summary>Tells the caller that the commit is durable.</summary>
    internal abstract void Succeed();

    /// <summary>Tells the caller that nothing was committed, or what else is known.</summary>
    internal abstract void Fail(Exception error);

    /// <summary>It is this one's turn; false when its caller has given up.</summary>
    internal bool TryTake() => Interlocked.CompareExchange(ref _state, Taken, Waiting) == Waiting;

    /// <summary>The caller gives up; false when it is too late.</summary>
    private protected bool TryCancel() => Interlocked.CompareExchange(ref _state, Cancelled, Waiting) == Waiting;

    private protected void Begin() => Volatile.Write(ref _state, Waiting);
}
