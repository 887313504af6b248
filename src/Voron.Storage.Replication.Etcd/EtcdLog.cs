using System.Runtime.CompilerServices;
using Etcdserverpb;
using Google.Protobuf;
using Grpc.Core;

namespace Voron.Storage.Replication.Etcd;

/// <summary>
/// Keys of etcd as the log of a replicated database. Each append is a transaction that compares the last position, and is sent when the one
/// before is answered: this log is for databases that write little. Servers sync before they acknowledge: see
/// <c>docs/replicas-carriers.md</c>.
/// </summary>
public sealed class EtcdLog : IReplicatedLog
{
    /// <summary>A trim deletes this many entries at a time, so that it does not hold up appends for long.</summary>
    private const int TrimmedAtOnce = 1000;

    private readonly EtcdLogOptions _options;
    private readonly EtcdCalls _calls;
    private readonly EtcdKeys _keys;

    /// <summary>Appends one at a time: calls on one connection may overtake each other, and then the earlier one is a conflict.</summary>
    private readonly SemaphoreSlim _appending = new(1);

    /// <summary>The last entry that a reading gave before it ended: the next one sees whether it is still the same.</summary>
    private EtcdAnchor? _anchor;

    private EtcdLog(EtcdLogOptions options)
    {
        _options = options;
        _calls = new EtcdCalls(options);
        _keys = new EtcdKeys(options.Name);
    }

    /// <inheritdoc/>
    public int MaxEntryBytes => _options.MaxEntryBytes;

    /// <summary>What weakens the log without making it wrong, in words for an operator. Empty if there is nothing.</summary>
    public IReadOnlyList<string> Warnings { get; private set; } = [];

    /// <summary>Connects, and creates the log if it is missing.</summary>
    /// <param name="options">Where the log is.</param>
    /// <param name="cancellation">Ends the wait.</param>
    /// <exception cref="LogUnavailableException">The servers do not answer, or have no leader yet.</exception>
    public static async ValueTask<EtcdLog> OpenAsync(EtcdLogOptions options, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        EtcdLog log = new(options.Checked());
        try
        {
            await log.OpenAsync(cancellation).ConfigureAwait(false);
            return log;
        }
        catch
        {
            await log.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentException">The entry is longer than <see cref="MaxEntryBytes"/>.</exception>
    /// <exception cref="EtcdSettingsException">The servers take no entries of this length.</exception>
    public async ValueTask<long> AppendAsync(ReadOnlyMemory<byte> entry, long expectedLast, CancellationToken cancellation)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(expectedLast);
        if (entry.Length > MaxEntryBytes)
        {
            throw new ArgumentException($"An entry has at most {MaxEntryBytes} bytes, this one {entry.Length}.", nameof(entry));
        }

        // A copy: a call that is cancelled may still be on its way when the caller writes something else into its buffer.
        long position = checked(expectedLast + 1);
        TxnRequest request = new()
        {
            Compare = { EtcdKeys.ValueIs(_keys.Head, Compare.Types.CompareResult.Equal, EtcdKeys.Number(expectedLast)) },
            Success =
            {
                EtcdKeys.Put(_keys.Entry(position), ByteString.CopyFrom(entry.Span)),
                EtcdKeys.Put(_keys.Head, EtcdKeys.Number(position)),
            },
            Failure = { EtcdKeys.Get(_keys.Head) },
        };
        await _appending.WaitAsync(cancellation).ConfigureAwait(false);
        try
        {
            TxnResponse answer = await _calls.TransactAsync(request, $"append behind {expectedLast}", cancellation).ConfigureAwait(false);
            return answer.Succeeded ? position : throw Conflict(answer, expectedLast);
        }
        finally
        {
            _appending.Release();
        }
    }

    /// <inheritdoc/>
    /// <exception cref="InvalidDataException">
    /// The log has another entry than before at a position that was read, or none where it was never trimmed: it was restored, or something
    /// else has written to its keys.
    /// </exception>
    public IAsyncEnumerable<LogEntry> ReadAsync(long from, CancellationToken cancellation)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(from, 1);
        return EntriesAsync(from, cancellation);
    }

    /// <inheritdoc/>
    public async ValueTask<LogBounds> GetBoundsAsync(CancellationToken cancellation)
    {
        TxnRequest request = new() { Success = { EtcdKeys.Get(_keys.First), EtcdKeys.Get(_keys.Head) } };
        return _keys.BoundsIn(await _calls.TransactAsync(request, "bounds", cancellation).ConfigureAwait(false));
    }

    /// <inheritdoc/>
    public async ValueTask TrimAsync(long below, CancellationToken cancellation)
    {
        LogBounds bounds = await GetBoundsAsync(cancellation).ConfigureAwait(false);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(below, bounds.Last + 1);
        if (below > bounds.First)
        {
            // The number first: readers refuse what lies below it, whether or not the keys are gone. It never goes back.
            ByteString number = EtcdKeys.Number(below);
            TxnRequest request = new()
            {
                Compare = { EtcdKeys.ValueIs(_keys.First, Compare.Types.CompareResult.Less, number) },
                Success = { EtcdKeys.Put(_keys.First, number) },
            };
            await _calls.TransactAsync(request, $"trim below {below}", cancellation).ConfigureAwait(false);
        }

        await DeleteBelowAsync(Math.Max(below, bounds.First), cancellation).ConfigureAwait(false);
    }

    /// <summary>Ends readings that still run and closes the connections. The log keeps all of its entries.</summary>
    public ValueTask DisposeAsync()
    {
        _calls.Dispose();
        return ValueTask.CompletedTask;
    }

    private async ValueTask OpenAsync(CancellationToken cancellation)
    {
        TxnRequest request = new()
        {
            Compare = { EtcdKeys.IsMissing(_keys.Head) },
            Success =
            {
                EtcdKeys.Put(_keys.Head, EtcdKeys.Number(0)),
                EtcdKeys.Put(_keys.First, EtcdKeys.Number(1)),
            },
        };
        await _calls.TransactAsync(request, "opening", cancellation).ConfigureAwait(false);
        Warnings = await EtcdWarnings.FindAsync(_calls, cancellation).ConfigureAwait(false);
    }

    /// <summary>Deletes entries below a position, from the lowest key there is: an earlier trim may not have come to its end.</summary>
    private async ValueTask DeleteBelowAsync(long below, CancellationToken cancellation)
    {
        while (true)
        {
            RangeRequest lowest = new() { Key = _keys.Entry(0), RangeEnd = _keys.Entry(below), Limit = 1, KeysOnly = true };
            RangeResponse found = await _calls.RangeAsync(lowest, $"trim below {below}", cancellation).ConfigureAwait(false);
            if (found.Kvs.Count == 0)
            {
                return;
            }

            long until = Math.Min(below, EtcdKeys.PositionOf(found.Kvs[0].Key) + TrimmedAtOnce);
            DeleteRangeRequest slice = new() { Key = _keys.Entry(0), RangeEnd = _keys.Entry(until) };
            await _calls.DeleteAsync(slice, $"trim below {below}", cancellation).ConfigureAwait(false);
        }
    }

    private async IAsyncEnumerable<LogEntry> EntriesAsync(long from, [EnumeratorCancellation] CancellationToken cancellation)
    {
        ObjectDisposedException.ThrowIf(_calls.Disposal.IsCancellationRequested, this);
        using CancellationTokenSource end = CancellationTokenSource.CreateLinkedTokenSource(cancellation, _calls.Disposal);
        using EtcdReading reading = new(_options, _calls, _keys, from, _anchor, end.Token);
        try
        {
            while (true)
            {
                LogEntry entry;
                try
                {
                    entry = await reading.NextAsync().ConfigureAwait(false);
                }
                catch (Exception e) when (end.IsCancellationRequested && e is OperationCanceledException or RpcException)
                {
                    cancellation.ThrowIfCancellationRequested();
                    throw new ObjectDisposedException(nameof(EtcdLog));
                }

                yield return entry;
            }
        }
        finally
        {
            _anchor = reading.Anchor ?? _anchor;
        }
    }

    private LogConflictException Conflict(TxnResponse answer, long expectedLast)
    {
        string end = EtcdKeys.NumberIn(answer.Responses[0]) is { } head ? $"at {head}" : "nowhere: its keys are gone";
        return new LogConflictException($"The log '{_options.Name}' does not end at {expectedLast}, but {end}.");
    }
}
