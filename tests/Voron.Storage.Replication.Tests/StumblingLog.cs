using System.IO.Pipelines;

namespace Voron.Storage.Replication.Tests;

/// <summary>
/// A log and a place of snapshots that fail at one call: as if the process had ended before it, or after it without having got the answer.
/// </summary>
internal sealed class StumblingLog(IReplicatedLog log, IReplicaSnapshots snapshots, int at, bool after) : IReplicatedLog, IReplicaSnapshots
{
    private int _calls;

    public int MaxEntryBytes => log.MaxEntryBytes;

    /// <summary>Whether it came to the call that fails.</summary>
    internal bool HasFailed => _calls > at;

    public ValueTask<long> AppendAsync(ReadOnlyMemory<byte> entry, long expectedLast, CancellationToken cancellation) =>
        CallAsync(() => log.AppendAsync(entry, expectedLast, cancellation));

    public IAsyncEnumerable<LogEntry> ReadAsync(long from, CancellationToken cancellation) => log.ReadAsync(from, cancellation);

    public ValueTask<LogBounds> GetBoundsAsync(CancellationToken cancellation) => CallAsync(() => log.GetBoundsAsync(cancellation));

    public async ValueTask TrimAsync(long below, CancellationToken cancellation) =>
        await CallAsync(() => Ended(log.TrimAsync(below, cancellation)));

    public ValueTask<IReadOnlyList<ReplicaSnapshot>> ListAsync(CancellationToken cancellation) =>
        CallAsync(() => snapshots.ListAsync(cancellation));

    public async ValueTask WriteAsync(
        ReplicaSnapshot snapshot, Func<PipeWriter, CancellationToken, ValueTask> write, CancellationToken cancellation) =>
        await CallAsync(() => Ended(snapshots.WriteAsync(snapshot, write, cancellation)));

    public ValueTask ReadAsync(
        ReplicaSnapshot snapshot, Func<PipeReader, CancellationToken, ValueTask> read, CancellationToken cancellation) =>
        snapshots.ReadAsync(snapshot, read, cancellation);

    public ValueTask DeleteAsync(ReplicaSnapshot snapshot, CancellationToken cancellation) =>
        snapshots.DeleteAsync(snapshot, cancellation);

    public ValueTask DisposeAsync() => log.DisposeAsync();

    private static async ValueTask<bool> Ended(ValueTask call)
    {
        await call;
        return true;
    }

    private async ValueTask<T> CallAsync<T>(Func<ValueTask<T>> call)
    {
        bool fails = _calls++ == at;
        if (fails && !after)
        {
            throw new LogUnavailableException("Before the call.");
        }

        T result = await call();
        return fails ? throw new LogUnavailableException("After the call.") : result;
    }
}
