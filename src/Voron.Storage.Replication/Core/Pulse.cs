namespace Voron.Storage.Replication.Core;

/// <summary>Wakes all that wait for something to happen.</summary>
internal sealed class Pulse
{
    private TaskCompletionSource _next = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Completes with the next pulse. Take it before looking at what may have happened.</summary>
    internal Task Next => Volatile.Read(ref _next).Task;

    internal void Beat()
    {
        if (Interlocked.Exchange(ref _next, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)) is { } last)
        {
            last.TrySetResult();
        }
    }

    /// <summary>Waits for the next pulse, or for something else to end, at most this long. The caller looks again anyway.</summary>
    internal static async ValueTask WaitAsync(Task next, TimeSpan most, TimeProvider time) =>
        await next.WaitAsync(most, time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
}
