using NATS.Client.Core;
using NATS.Client.JetStream;

namespace Voron.Storage.Replication.Nats;

/// <summary>
/// A connection to the servers. A call through it ends with an answer, or in time with <see cref="LogUnavailableException"/>.
/// </summary>
internal sealed class JetStreamConnection : IAsyncDisposable
{
    private readonly object _owner;
    private readonly string _place;
    private readonly TimeSpan _requestTimeout;
    private readonly NatsConnection _connection;
    private readonly CancellationTokenSource _disposal = new();

    /// <param name="owner">Which object is disposed together with the connection.</param>
    /// <param name="place">What the connection is for, as messages name it.</param>
    /// <param name="requestTimeout">How long a call waits for its answer.</param>
    /// <param name="settings">The settings of the connection.</param>
    internal JetStreamConnection(object owner, string place, TimeSpan requestTimeout, NatsOpts settings)
    {
        _owner = owner;
        _place = place;
        _requestTimeout = requestTimeout;
        _connection = new NatsConnection(settings);
        Context = new NatsJSContext(_connection, new NatsJSOpts(_connection.Opts));
    }

    internal NatsJSContext Context { get; }

    /// <summary>Cancelled when the owner is disposed.</summary>
    internal CancellationToken Disposal => _disposal.Token;

    /// <summary>
    /// The settings of a connection. A lost one is tried again soon: an election waits for it. Replies come through one subscription, so an
    /// append needs none of its own.
    /// </summary>
    internal static NatsOpts Settings(string url, string name, TimeSpan requestTimeout, Func<NatsOpts, NatsOpts>? configure)
    {
        NatsOpts settings = NatsOpts.Default with
        {
            Url = url,
            Name = name,
            RequestReplyMode = NatsRequestReplyMode.Direct,
            RequestTimeout = requestTimeout,
            ReconnectWaitMin = TimeSpan.FromMilliseconds(50),
            ReconnectWaitMax = TimeSpan.FromSeconds(1),
        };
        return configure is not null ? configure(settings) : settings;
    }

    /// <summary>Whether a stream or a bucket can have this name.</summary>
    internal static bool IsName(string name) => name.All(static one => char.IsAsciiLetterOrDigit(one) || one is '-' or '_');

    /// <summary>Connects; null if the servers do not have JetStream.</summary>
    internal async ValueTask<INatsServerInfo?> ConnectAsync(CancellationToken cancellation)
    {
        await AskAsync(
            async token =>
            {
                await _connection.ConnectAsync().AsTask().WaitAsync(token).ConfigureAwait(false);
                return true;
            },
            "connection",
            cancellation).ConfigureAwait(false);
        return _connection.ServerInfo is { JetStreamAvailable: true } server ? server : null;
    }

    /// <summary>A call to the servers, with the time-out of the options.</summary>
    internal async ValueTask<T> AskAsync<T>(Func<CancellationToken, ValueTask<T>> call, string what, CancellationToken cancellation)
    {
        ThrowIfEnded(cancellation);
        using CancellationTokenSource end = CancellationTokenSource.CreateLinkedTokenSource(cancellation, _disposal.Token);
        end.CancelAfter(_requestTimeout);
        try
        {
            return await call(end.Token).ConfigureAwait(false);
        }
        catch (Exception e) when (JetStreamErrors.IsOutage(e))
        {
            ThrowIfEnded(cancellation);
            throw Unavailable(what, e);
        }
    }

    internal LogUnavailableException Unavailable(string what, Exception failure) => new($"{_place}, {what}: {failure.Message}", failure);

    /// <summary>The caller has cancelled, or the owner was disposed: then a failure is no outage.</summary>
    internal void ThrowIfEnded(CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        ObjectDisposedException.ThrowIf(_disposal.IsCancellationRequested, _owner);
    }

    public async ValueTask DisposeAsync()
    {
        if (!_disposal.IsCancellationRequested)
        {
            await _disposal.CancelAsync().ConfigureAwait(false);
            await _connection.DisposeAsync().ConfigureAwait(false);
        }
    }
}
