using NATS.Client.Core;
using NATS.Client.JetStream;
using NATS.Client.JetStream.Models;

namespace Voron.Storage.Replication.Nats;

/// <summary>
/// Reads a stream in order. The client's ordered consumer begins anew by itself, behind the last message it saw, and that hides two things
/// which a log must not hide: messages that were purged meanwhile, and a stream that lost its end and has other messages there now. So
/// this is a consumer of its own, begun anew for every interruption:
/// <list type="number">
/// <item>It begins at the last entry given, which must come first and be the same.</item>
/// <item>Positions follow each other. Where they do not, the stream was trimmed or has lost entries; servers skip both silently.</item>
/// <item>A consumer past the end is moved back to the end by the server: entries below the position asked for are passed over.</item>
/// </list>
/// It has a connection of its own, so that a reader that falls behind holds up no answers to appends.
/// </summary>
internal sealed class JetStreamReading : IAsyncDisposable
{
    /// <summary>Messages asked for at a time: with entries of 512 KiB, 64 MiB may wait here.</summary>
    private const int MessagesAhead = 128;

    /// <summary>A position that is missing without having been trimmed is asked for again this often: a server may lag behind.</summary>
    private const int GapAttempts = 5;

    /// <summary>The server says that often that it is there. Twice this without a word, and the consumer is begun anew.</summary>
    private static readonly TimeSpan Heartbeat = TimeSpan.FromSeconds(1);

    private static readonly TimeSpan PullTime = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// The patience with the first attempt to begin a consumer, doubled for each further one: a cluster may place it on a server that is
    /// gone, and never answers then. The next one lands elsewhere.
    /// </summary>
    private static readonly TimeSpan FirstPatience = TimeSpan.FromMilliseconds(500);

    /// <summary>The servers forget a consumer of a process that is gone after this time.</summary>
    private static readonly TimeSpan Abandoned = TimeSpan.FromSeconds(30);

    private readonly JetStreamLogOptions _options;
    private readonly CancellationToken _end;
    private readonly NatsConnection _connection;
    private readonly NatsJSContext _context;

    /// <summary>The position of the next entry to give.</summary>
    private long _next;

    /// <summary>The bytes of the entry before <see cref="_next"/>, from another reading; null if they are in <see cref="_last"/>.</summary>
    private JetStreamAnchor? _anchor;

    /// <summary>The entry before <see cref="_next"/>, if this reading gave it. It is kept until the next one is there.</summary>
    private NatsMemoryOwner<byte>? _last;

    private CancellationTokenSource? _interruption;
    private IAsyncEnumerator<INatsJSMsg<NatsMemoryOwner<byte>>>? _messages;
    private string? _consumer;
    private int _gaps;
    private TimeSpan _patience = FirstPatience;

    internal JetStreamReading(JetStreamLogOptions options, long from, JetStreamAnchor? anchor, CancellationToken end)
    {
        _options = options;
        _end = end;
        _next = from;
        _anchor = anchor?.Position == from - 1 ? anchor : null;
        _connection = new NatsConnection(options.Connection("reader"));
        _connection.ConnectionDisconnected += OnDisconnected;
        _context = new NatsJSContext(_connection, new NatsJSOpts(_connection.Opts));
    }

    /// <summary>The next entry. Waits for it, over interruptions; fails if the servers are silent for the options' time-out.</summary>
    internal async ValueTask<LogEntry> NextAsync()
    {
        long silentSince = 0;
        while (true)
        {
            Exception failure;
            try
            {
                if (await MessageAsync().ConfigureAwait(false) is { } message)
                {
                    if (await TakeAsync(message).ConfigureAwait(false) is { } entry)
                    {
                        return entry;
                    }

                    continue;
                }

                failure = new TimeoutException("the consumer was interrupted");
            }
            catch (Exception e) when (JetStreamErrors.IsOutage(e))
            {
                failure = e;
            }

            // The silence counts from the first attempt to begin anew.
            bool wasReading = _messages is not null;
            await StopAsync().ConfigureAwait(false);
            _end.ThrowIfCancellationRequested();
            silentSince = wasReading ? 0 : silentSince == 0 ? Environment.TickCount64 : silentSince;
            if (silentSince != 0 && Environment.TickCount64 - silentSince > _options.RequestTimeout.TotalMilliseconds)
            {
                throw new LogUnavailableException($"Stream '{_options.Stream}', reading from {_next}: {failure.Message}", failure);
            }

            await Task.Delay(Pause, _end).ConfigureAwait(false);
        }
    }

    /// <summary>What a later reading that goes on here begins with; null if nothing was read.</summary>
    internal JetStreamAnchor? TakeAnchor() => _last is { } last ? new JetStreamAnchor(_next - 1, BytesOf(last).ToArray()) : _anchor;

    public async ValueTask DisposeAsync()
    {
        await StopAsync().ConfigureAwait(false);
        _connection.ConnectionDisconnected -= OnDisconnected;
        await _connection.DisposeAsync().ConfigureAwait(false);
        _last?.Dispose();
        _last = null;
    }

    /// <summary>The next message of the consumer, which is begun if there is none; null when it was interrupted.</summary>
    private async ValueTask<INatsJSMsg<NatsMemoryOwner<byte>>?> MessageAsync()
    {
        if (_messages is null)
        {
            await StartAsync().ConfigureAwait(false);
        }

        return await _messages!.MoveNextAsync().ConfigureAwait(false) ? _messages.Current : null;
    }

    /// <summary>The entry of a message if it is the next one. Takes over the memory of the message.</summary>
    private async ValueTask<LogEntry?> TakeAsync(INatsJSMsg<NatsMemoryOwner<byte>> message)
    {
        NatsMemoryOwner<byte> memory = message.Data;
        if (message.Metadata is not { } place)
        {
            memory.Dispose();
            return null;
        }

        long position = checked((long)place.Sequence.Stream);
        if (position == _next)
        {
            _last?.Dispose();
            _last = memory;
            _anchor = null;
            _next++;
            _gaps = 0;
            return new LogEntry(position, BytesOf(memory));
        }

        bool isOther = position == _next - 1 && IsOther(BytesOf(memory));
        memory.Dispose();
        if (isOther)
        {
            throw new InvalidDataException(
                $"The stream '{_options.Stream}' has another entry at position {position} than when it was read: it has lost its end, and "
                + "other entries were appended there.");
        }

        if (position > _next)
        {
            await PassGapAsync().ConfigureAwait(false);
        }

        return null;
    }

    private bool IsOther(ReadOnlyMemory<byte> bytes) => _last is { } last
        ? !bytes.Span.SequenceEqual(BytesOf(last).Span)
        : _anchor is { } anchor && !bytes.Span.SequenceEqual(anchor.Bytes.Span);

    /// <summary>The next position did not come. Fails if it is gone, otherwise begins anew: a message was dropped on its way.</summary>
    private async ValueTask PassGapAsync()
    {
        LogBounds bounds = await CheckStartAsync(_end).ConfigureAwait(false);
        if (++_gaps > GapAttempts)
        {
            throw new InvalidDataException(
                $"The stream '{_options.Stream}' has no entry at position {_next}, although it has {bounds.First} to {bounds.Last}.");
        }

        await StopAsync().ConfigureAwait(false);
        await Task.Delay(Pause, _end).ConfigureAwait(false);
    }

    /// <summary>The bounds of the stream, which must not begin behind the next position.</summary>
    private async ValueTask<LogBounds> CheckStartAsync(CancellationToken cancellation)
    {
        LogBounds bounds = JetStreamBounds.Of(
            await _context.GetStreamAsync(_options.Stream, cancellationToken: cancellation).ConfigureAwait(false));
        return _next >= bounds.First ? bounds : throw new LogTrimmedException(bounds.First);
    }

    private async ValueTask StartAsync()
    {
        _interruption = CancellationTokenSource.CreateLinkedTokenSource(_end);
        using CancellationTokenSource timeout = CancellationTokenSource.CreateLinkedTokenSource(_interruption.Token);
        timeout.CancelAfter(_patience < _options.RequestTimeout ? _patience : _options.RequestTimeout);
        _patience *= 2;
        await _connection.ConnectAsync().AsTask().WaitAsync(timeout.Token).ConfigureAwait(false);
        long start = _last is not null || _anchor is not null ? _next - 1 : _next;
        INatsJSConsumer consumer = await _context.CreateOrUpdateConsumerAsync(
            _options.Stream,
            new ConsumerConfig
            {
                DeliverPolicy = ConsumerConfigDeliverPolicy.ByStartSequence,
                OptStartSeq = (ulong)start,
                AckPolicy = ConsumerConfigAckPolicy.None,
                ReplayPolicy = ConsumerConfigReplayPolicy.Instant,
                InactiveThreshold = Abandoned,
                MemStorage = true,
                NumReplicas = 1,
            },
            timeout.Token).ConfigureAwait(false);
        _consumer = consumer.Info.Name;

        // After the consumer has begun: a purge from here on shows as a gap.
        await CheckStartAsync(timeout.Token).ConfigureAwait(false);
        NatsJSConsumeOpts settings = new()
        {
            MaxMsgs = MessagesAhead,
            Expires = PullTime,
            IdleHeartbeat = Heartbeat,
            NotificationHandler = OnNotification,
        };
        _messages = consumer.ConsumeAsync<NatsMemoryOwner<byte>>(opts: settings, cancellationToken: _interruption.Token)
            .GetAsyncEnumerator(CancellationToken.None);
        _patience = FirstPatience;
    }

    private async ValueTask StopAsync()
    {
        if (_interruption is { } interruption)
        {
            _interruption = null;
            await interruption.CancelAsync().ConfigureAwait(false);
        }

        if (_messages is { } messages)
        {
            _messages = null;
            try
            {
                await messages.DisposeAsync().ConfigureAwait(false);
            }
            catch (Exception e) when (JetStreamErrors.IsOutage(e))
            {
                // What is left of it ends with the connection.
            }
        }

        if (_consumer is { } consumer)
        {
            _consumer = null;
            await ForgetAsync(consumer).ConfigureAwait(false);
        }
    }

    /// <summary>Deletes a consumer if the servers answer; without an answer they forget it later.</summary>
    private async ValueTask ForgetAsync(string consumer)
    {
        if (_connection.ConnectionState != NatsConnectionState.Open)
        {
            return;
        }

        using CancellationTokenSource soon = new(Heartbeat);
        try
        {
            await _context.DeleteConsumerAsync(_options.Stream, consumer, soon.Token).ConfigureAwait(false);
        }
        catch (Exception e) when (JetStreamErrors.IsOutage(e))
        {
            // It is abandoned.
        }
    }

    private ValueTask OnDisconnected(object? sender, NatsEventArgs e)
    {
        Interrupt();
        return ValueTask.CompletedTask;
    }

    private Task OnNotification(INatsJSNotification notification, CancellationToken cancellation)
    {
        if (notification is NatsJSTimeoutNotification or NatsJSNoRespondersNotification or NatsJSLeadershipChangeNotification)
        {
            Interrupt();
        }

        return Task.CompletedTask;
    }

    private void Interrupt()
    {
        try
        {
            _interruption?.Cancel();
        }
        catch (ObjectDisposedException)
        {
            // The reading has ended meanwhile.
        }
    }

    private static ReadOnlyMemory<byte> BytesOf(NatsMemoryOwner<byte> memory) =>
        memory.Length == 0 ? ReadOnlyMemory<byte>.Empty : memory.Memory;
}
