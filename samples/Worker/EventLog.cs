using Voron.Storage;
using Voron.Storage.Typed;

namespace Voron.Samples.Worker;

/// <summary>Events by the time at which they happened; those of one moment by their number.</summary>
internal sealed class EventLog(StorageEnvironment storage, TimeProvider? time = null)
{
    private static readonly TreeDefinition<(DateTimeOffset At, long Number), LogEvent> Events = new(
        "events", KeyCodec.Tuple(KeyCodec.DateTimeOffset, KeyCodec.Int64), new JsonCodec<LogEvent>(LogJson.Default.LogEvent));

    private readonly TimeProvider _time = time ?? TimeProvider.System;
    private long _number = LastNumber(storage);

    internal long Count
    {
        get
        {
            using ReadTransaction read = storage.BeginRead();
            return read.TryOpenTree(Events, out var events) ? events.Count : 0;
        }
    }

    /// <summary>Ends when the event is on the device. Events of many callers share a write.</summary>
    internal ValueTask WriteAsync(LogEvent happened, CancellationToken stopping) => storage.WriteAsync(
        static (tx, entry) => tx.OpenTree(Events).Put(entry.Key, entry.happened),
        (Key: (_time.GetUtcNow(), Interlocked.Increment(ref _number)), happened),
        stopping);

    /// <summary>Deletes what is older, in one step however much it is, and gives how many events there were.</summary>
    internal ValueTask<long> ForgetAsync(TimeSpan olderThan, CancellationToken stopping) => storage.WriteAsync(
        static (tx, end) => tx.OpenTree(Events).DeleteRange((DateTimeOffset.MinValue, 0), (end, 0)),
        _time.GetUtcNow() - olderThan,
        stopping);

    private static long LastNumber(StorageEnvironment storage)
    {
        using ReadTransaction read = storage.BeginRead();
        return read.TryOpenTree(Events, out var events) && events.TryGetLast(out var key, out _) ? key.Number : 0;
    }
}
