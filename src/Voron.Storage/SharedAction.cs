using System.Collections.Concurrent;
using System.Threading.Tasks.Sources;
using Voron.Storage.Transactions;

namespace Voron.Storage;

/// <summary>
/// An action in a shared write transaction, and the task source that its caller awaits. Reused once the result was fetched; a cancelled
/// one is not reused, because it may still be in the queue.
/// </summary>
internal sealed class SharedAction<TState, TResult> : SharedWrite, IValueTaskSource<TResult>, IValueTaskSource
{
    private static readonly ConcurrentBag<SharedAction<TState, TResult>> Pool = [];

    private ManualResetValueTaskSourceCore<TResult> _core = new() { RunContinuationsAsynchronously = true };
    private TState _state = default!;
    private TResult _result = default!;
    private CancellationTokenRegistration _registration;

    internal short Version => _core.Version;

    internal Action<WriteTransaction, TState>? Action { get; set; }

    internal Func<WriteTransaction, TState, TResult>? Function { get; set; }

    internal static SharedAction<TState, TResult> Rent(TState state, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        SharedAction<TState, TResult> action = Pool.TryTake(out SharedAction<TState, TResult>? used) ? used : new();
        action._state = state;
        action.Begin();
        action._registration = cancellationToken.UnsafeRegister(
            static (self, token) => ((SharedAction<TState, TResult>)self!).Cancel(token), action);
        return action;
    }

    internal override void Run()
    {
        WriteTransaction transaction = new(Lease!);
        if (Function is not null)
        {
            _result = Function(transaction, _state);
        }
        else
        {
            Action!(transaction, _state);
        }
    }

    internal override void Succeed()
    {
        _registration.Dispose();
        _core.SetResult(_result);
    }

    internal override void Fail(Exception error)
    {
        _registration.Dispose();
        _core.SetException(error);
    }

    /// <summary>Ends an action that was never queued: a long-lived token must not keep it, or what it captured, alive.</summary>
    internal void Withdraw()
    {
        // The caller gets the refusal even if the token was cancelled just now.
        _ = TryTake();
        Return();
    }

    TResult IValueTaskSource<TResult>.GetResult(short token)
    {
        try
        {
            return _core.GetResult(token);
        }
        finally
        {
            Return();
        }
    }

    void IValueTaskSource.GetResult(short token) => ((IValueTaskSource<TResult>)this).GetResult(token);

    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    private void Cancel(CancellationToken token)
    {
        if (TryCancel())
        {
            _core.SetException(new OperationCanceledException(token));
        }
    }

    private void Return()
    {
        _registration.Dispose();
        Action = null;
        Function = null;
        _state = default!;
        _result = default!;
        if (!IsCancelled)
        {
            _core.Reset();
            Pool.Add(this);
        }
    }
}
