using NATS.Client.JetStream;
using NATS.Client.JetStream.Models;

namespace Voron.Storage.Replication.Nats;

/// <summary>
/// A stream of NATS JetStream as the log of a replicated database: an entry is a message, its position the sequence number of the stream.
/// What an acknowledgement survives depends on the servers: see <c>docs/replicas-carriers.md</c>.
/// </summary>
public sealed class JetStreamLog : IReplicatedLog
{
    private readonly JetStreamLogOptions _options;
    private readonly JetStreamConnection _connection;
    private readonly NatsJSContext _context;
    private readonly string _subject;

    /// <summary>The last entry that a reading gave before it ended: the next one sees whether it is still the same.</summary>
    private JetStreamAnchor? _anchor;

    private JetStreamLog(JetStreamLogOptions options)
    {
        _options = options;
        _connection = new JetStreamConnection(this, $"Stream '{options.Stream}'", options.RequestTimeout, options.Connection("log"));
        _context = _connection.Context;
        _subject = options.SubjectOrDefault;
    }

    /// <inheritdoc/>
    public int MaxEntryBytes { get; private set; }

    /// <summary>
    /// What weakens the log without making it wrong, in words for an operator: servers of an old version, a single server. Empty if there
    /// is nothing. No client can see how often servers sync: that has to be set in their configuration.
    /// </summary>
    public IReadOnlyList<string> Warnings { get; private set; } = [];

    /// <summary>Connects, creates the stream if it is missing and may be created, and checks its configuration.</summary>
    /// <param name="options">Where the log is.</param>
    /// <param name="cancellation">Ends the wait.</param>
    /// <exception cref="JetStreamSettingsException">The stream, or the server, would lose entries as it is set.</exception>
    /// <exception cref="LogUnavailableException">The servers do not answer, or the cluster has no leader yet.</exception>
    public static async ValueTask<JetStreamLog> OpenAsync(JetStreamLogOptions options, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        options = options.Checked();
        JetStreamLog log = new(options);
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
    public async ValueTask<long> AppendAsync(ReadOnlyMemory<byte> entry, long expectedLast, CancellationToken cancellation)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(expectedLast);
        if (entry.Length > MaxEntryBytes)
        {
            throw new ArgumentException($"An entry has at most {MaxEntryBytes} bytes, this one {entry.Length}.", nameof(entry));
        }

        // One attempt: a second one whose first was stored would be reported as a conflict, and a conflict says that nothing was stored.
        NatsJSPubOpts conditions = new()
        {
            ExpectedLastSequence = (ulong)expectedLast,
            ExpectedStream = _options.Stream,
            RetryAttempts = 1,
        };
        PubAckResponse answer = await _connection.AskAsync(
            token => _context.PublishAsync(_subject, entry, opts: conditions, cancellationToken: token),
            $"append behind {expectedLast}",
            cancellation).ConfigureAwait(false);
        return answer.Error is { } error ? throw Refused(error, expectedLast) : checked((long)answer.Seq);
    }

    /// <inheritdoc/>
    /// <exception cref="InvalidDataException">
    /// The log has another entry than before at a position that was read, or none where it was never trimmed: it has lost entries.
    /// </exception>
    public IAsyncEnumerable<LogEntry> ReadAsync(long from, CancellationToken cancellation)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(from, 1);
        return EntriesAsync(from, cancellation);
    }

    /// <inheritdoc/>
    public async ValueTask<LogBounds> GetBoundsAsync(CancellationToken cancellation)
    {
        INatsJSStream stream = await _connection.AskAsync(
            token => _context.GetStreamAsync(_options.Stream, cancellationToken: token), "bounds", cancellation).ConfigureAwait(false);
        return JetStreamBounds.Of(stream);
    }

    /// <inheritdoc/>
    public async ValueTask TrimAsync(long below, CancellationToken cancellation)
    {
        // A purge above the end would move the end.
        LogBounds bounds = await GetBoundsAsync(cancellation).ConfigureAwait(false);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(below, bounds.Last + 1);
        if (below <= bounds.First)
        {
            return;
        }

        await _connection.AskAsync(
            token => _context.PurgeStreamAsync(_options.Stream, new StreamPurgeRequest { Seq = (ulong)below }, token),
            $"trim below {below}",
            cancellation).ConfigureAwait(false);
    }

    /// <summary>Ends readings that still run and closes the connections. The log keeps all of its entries.</summary>
    public ValueTask DisposeAsync() => _connection.DisposeAsync();

    private async ValueTask OpenAsync(CancellationToken cancellation)
    {
        if (await _connection.ConnectAsync(cancellation).ConfigureAwait(false) is not { } server)
        {
            throw new JetStreamSettingsException(_options.Stream, ["jetstream on the servers (it is off)"]);
        }

        INatsJSStream stream = await _connection.AskAsync(FindOrCreateAsync, "stream", cancellation).ConfigureAwait(false);
        StreamConfig settings = stream.Info.Config;
        if (StreamSettings.Check(settings, _options) is { Count: > 0 } wrong)
        {
            throw new JetStreamSettingsException(_options.Stream, wrong);
        }

        MaxEntryBytes = StreamSettings.LongestOf(server.MaxPayload, settings);
        if (MaxEntryBytes < StreamSettings.LeastEntryBytes)
        {
            string wanted = $"max_payload of the servers: at least {StreamSettings.LeastEntryBytes + StreamSettings.HeadBytes}";
            throw new JetStreamSettingsException(_options.Stream, [$"{wanted} (it is {MaxEntryBytes + StreamSettings.HeadBytes})"]);
        }

        Warnings = JetStreamWarnings.Of(server, settings);
    }

    private async ValueTask<INatsJSStream> FindOrCreateAsync(CancellationToken cancellation)
    {
        try
        {
            return await _context.GetStreamAsync(_options.Stream, cancellationToken: cancellation).ConfigureAwait(false);
        }
        catch (NatsJSApiException e) when (e.Error.ErrCode == JetStreamErrors.StreamNotFound)
        {
            if (!_options.CreateStream)
            {
                throw new JetStreamSettingsException(_options.Stream, ["a stream of this name (there is none)"], e);
            }
        }

        try
        {
            return await _context.CreateStreamAsync(StreamSettings.New(_options), cancellation).ConfigureAwait(false);
        }
        catch (NatsJSApiException e) when (e.Error.ErrCode == JetStreamErrors.StreamNameInUse)
        {
            return await _context.GetStreamAsync(_options.Stream, cancellationToken: cancellation).ConfigureAwait(false);
        }
        catch (NatsJSApiException e) when (e.Error.ErrCode == JetStreamErrors.ReplicasNotSupported)
        {
            string wanted = $"a cluster of at least {_options.Replicas} servers, or 1 replica in the options (it is one server)";
            throw new JetStreamSettingsException(_options.Stream, [wanted], e);
        }
        catch (NatsJSApiException e) when (e.Error.ErrCode == JetStreamErrors.SubjectsOverlap)
        {
            throw new JetStreamSettingsException(_options.Stream, ["a subject that no other stream has"], e);
        }
    }

    private async IAsyncEnumerable<LogEntry> EntriesAsync(
        long from, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellation)
    {
        _connection.ThrowIfEnded(CancellationToken.None);
        using CancellationTokenSource end = CancellationTokenSource.CreateLinkedTokenSource(cancellation, _connection.Disposal);
        JetStreamReading reading = new(_options, from, _anchor, end.Token);
        try
        {
            while (true)
            {
                LogEntry entry;
                try
                {
                    entry = await reading.NextAsync().ConfigureAwait(false);
                }
                catch (OperationCanceledException) when (end.IsCancellationRequested)
                {
                    _connection.ThrowIfEnded(cancellation);
                    throw;
                }

                yield return entry;
            }
        }
        finally
        {
            _anchor = reading.TakeAnchor() ?? _anchor;
            await reading.DisposeAsync().ConfigureAwait(false);
        }
    }

    private Exception Refused(ApiError error, long expectedLast) => error.ErrCode switch
    {
        JetStreamErrors.WrongLastSequence or JetStreamErrors.WrongLastSequenceUnnamed =>
            new LogConflictException($"The stream '{_options.Stream}' does not end at {expectedLast}: {error.Description}."),
        JetStreamErrors.StoreFailed => new LogUnavailableException(
            $"The stream '{_options.Stream}' cannot store more, it may be full: {error.Description}. Trim it, or raise its limits."),
        _ => new LogUnavailableException(
            $"Stream '{_options.Stream}', append behind {expectedLast}: {error.Description} ({error.Code}, {error.ErrCode})"),
    };
}
