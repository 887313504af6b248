using System.Collections.Concurrent;
using System.Threading.Tasks.Sources;

namespace Voron.Storage.Commits;

/// <summary>
/// The pooled source of an asynchronous commit's <see cref="ValueTask"/>. It returns to its pool once the result is fetched. Continuations
/// never run on the thread that ends the write.
/// </summary>
internal sealed class CommitCompletion : IValueTaskSource
{
    private readonly ConcurrentQueue<CommitCompletion> _pool;
    private ManualResetValueTaskSourceCore<bool> _core = new() { RunContinuationsAsynchronously = true };

    internal CommitCompletion(ConcurrentQueue<CommitCompletion> pool) => _pool = pool;

    internal ValueTask Task => new(this, _core.Version);

    internal void End(Exception? error)
    {
        if (error is null)
        {
            _core.SetResult(true);
        }
        else
        {
            _core.SetException(error);
        }
    }

    public void GetResult(short token)
    {
        try
        {
            _core.GetResult(token);
        }
        finally
        {
            _core.Reset();
            _pool.Enqueue(this);
        }
    }

    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);
}
