using Etcdserverpb;
using Google.Protobuf;
using Google.Protobuf.Collections;
using Grpc.Core;
using Mvccpb;

namespace Voron.Storage.Replication.Etcd;

/// <summary>
/// Reads the entries of a log in order: ranges up to the end, then a watch from the revision behind the last range. A watch whose revision
/// was compacted, that broke, or that shows another position than the next one is given up for a range, so no compaction can hide an entry.
/// Each range begins at the last entry given, which must be the same: a cluster that was restored from a backup may have another one there.
/// </summary>
internal sealed class EtcdReading : IDisposable
{
    private const int FewestAtOnce = 8;
    private const int MostAtOnce = 1024;

    /// <summary>Ranges ask for more entries while they are shorter than this, and for fewer when they are four times as long.</summary>
    private const int RangeBytes = 1 << 20;

    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(100);

    private readonly EtcdLogOptions _options;
    private readonly EtcdCalls _calls;
    private readonly EtcdKeys _keys;
    private readonly CancellationToken _end;

    /// <summary>Entries that have come, consecutive, the first of them at <see cref="_next"/>.</summary>
    private readonly Queue<ByteString> _waiting = new();

    /// <summary>The position of the next entry to give.</summary>
    private long _next;

    private int _atOnce = FewestAtOnce;
    private AsyncDuplexStreamingCall<WatchRequest, WatchResponse>? _watch;

    internal EtcdReading(EtcdLogOptions options, EtcdCalls calls, EtcdKeys keys, long from, EtcdAnchor? anchor, CancellationToken end)
    {
        _options = options;
        _calls = calls;
        _keys = keys;
        _end = end;
        _next = from;
        Anchor = anchor?.Position == from - 1 ? anchor : null;
    }

    /// <summary>The last entry given, here or by the reading before; null if there was none.</summary>
    internal EtcdAnchor? Anchor { get; private set; }

    /// <summary>The next entry. Waits for it, over interruptions; fails if the servers are silent for the options' time-out.</summary>
    internal async ValueTask<LogEntry> NextAsync()
    {
        long silentSince = 0;
        while (true)
        {
            if (_waiting.TryDequeue(out ByteString? bytes))
            {
                Anchor = new EtcdAnchor(_next, bytes);
                return new LogEntry(_next++, bytes.Memory);
            }

            Exception failure;
            try
            {
                if (_watch is { } watch)
                {
                    await FollowAsync(watch).ConfigureAwait(false);
                }
                else
                {
                    await FillAsync().ConfigureAwait(false);
                }

                silentSince = 0;
                continue;
            }
            catch (Exception e) when (e is RpcException or LogUnavailableException)
            {
                failure = e;
            }

            StopWatch();
            _end.ThrowIfCancellationRequested();
            silentSince = silentSince == 0 ? Environment.TickCount64 : silentSince;
            if (Environment.TickCount64 - silentSince > _options.RequestTimeout.TotalMilliseconds)
            {
                throw new LogUnavailableException($"Log '{_options.Name}', reading from {_next}: {failure.Message}", failure);
            }

            await Task.Delay(Pause, _end).ConfigureAwait(false);
        }
    }

    public void Dispose() => StopWatch();

    /// <summary>Asks for the next entries. If there are none, a watch begins that misses none of those that come.</summary>
    private async ValueTask FillAsync()
    {
        long start = Anchor is null ? _next : _next - 1;
        RangeRequest entries = new() { Key = _keys.Entry(start), RangeEnd = _keys.EntriesEnd, Limit = _atOnce };
        TxnRequest request = new()
        {
            Success = { EtcdKeys.Get(_keys.First), EtcdKeys.Get(_keys.Head), new RequestOp { RequestRange = entries } },
        };
        TxnResponse answer = await _calls.TransactAsync(request, $"reading from {_next}", _end).ConfigureAwait(false);
        LogBounds bounds = _keys.BoundsIn(answer);
        if (_next < bounds.First)
        {
            throw new LogTrimmedException(bounds.First);
        }

        CheckAnchor(bounds, answer.Responses[2].ResponseRange.Kvs);
        Take(bounds, answer.Responses[2].ResponseRange.Kvs);
        if (_waiting.Count == 0)
        {
            await StartWatchAsync(answer.Header.Revision + 1).ConfigureAwait(false);
        }
    }

    /// <summary>The last entry given is where it was, unless it was trimmed since.</summary>
    private void CheckAnchor(LogBounds bounds, RepeatedField<KeyValue> found)
    {
        if (Anchor is not { } anchor || anchor.Position < bounds.First)
        {
            return;
        }

        if (found.Count == 0 || EtcdKeys.PositionOf(found[0].Key) != anchor.Position || found[0].Value != anchor.Bytes)
        {
            throw new InvalidDataException(
                $"The log '{_options.Name}' has another entry at position {anchor.Position} than when it was read, or none: it ends at "
                + $"{bounds.Last} and was restored from a backup, or something else has written to its keys.");
        }
    }

    private void Take(LogBounds bounds, RepeatedField<KeyValue> found)
    {
        long bytes = 0;
        foreach (KeyValue one in found)
        {
            bytes += one.Value.Length;
            long position = EtcdKeys.PositionOf(one.Key);
            if (position == _next + _waiting.Count)
            {
                _waiting.Enqueue(one.Value);
            }
            else if (position > _next)
            {
                break;
            }
        }

        if (_waiting.Count == 0 && _next <= bounds.Last)
        {
            throw new InvalidDataException(
                $"The log '{_options.Name}' has no entry at position {_next}, although it has {bounds.First} to {bounds.Last}.");
        }

        _atOnce = bytes < RangeBytes ? Math.Min(_atOnce * 2, MostAtOnce)
            : bytes > RangeBytes * 4 ? Math.Max(_atOnce / 2, FewestAtOnce)
            : _atOnce;
    }

    private async ValueTask StartWatchAsync(long revision)
    {
        WatchCreateRequest create = new()
        {
            Key = _keys.Entry(_next),
            RangeEnd = _keys.EntriesEnd,
            StartRevision = revision,
            Fragment = true,
            Filters = { WatchCreateRequest.Types.FilterType.Nodelete },
        };
        _watch = await _calls.WatchAsync(create, $"watching from {_next}", _end).ConfigureAwait(false);
    }

    /// <summary>Waits for what the watch shows next. What is not the next entry ends it, and a range finds out what that means.</summary>
    private async ValueTask FollowAsync(AsyncDuplexStreamingCall<WatchRequest, WatchResponse> watch)
    {
        if (!await watch.ResponseStream.MoveNext(_end).ConfigureAwait(false))
        {
            StopWatch();
            return;
        }

        WatchResponse shown = watch.ResponseStream.Current;
        foreach (Event change in shown.Events)
        {
            long position = EtcdKeys.PositionOf(change.Kv.Key);
            if (position == _next + _waiting.Count)
            {
                _waiting.Enqueue(change.Kv.Value);
            }
            else if (position > _next)
            {
                StopWatch();
                return;
            }
        }

        if (shown.Canceled)
        {
            StopWatch();
        }
    }

    private void StopWatch()
    {
        _watch?.Dispose();
        _watch = null;
    }
}
