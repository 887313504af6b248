using Etcdserverpb;
using Grpc.Core;
using Grpc.Net.Client;

namespace Voron.Storage.Replication.Etcd;

/// <summary>
/// Calls to the servers with the time-out of the options; what ends by itself becomes <see cref="LogUnavailableException"/>.
/// </summary>
internal sealed class EtcdCalls : IDisposable
{
    private readonly EtcdLogOptions _options;
    private readonly GrpcChannel _channel;
    private readonly KV.KVClient _keys;
    private readonly Watch.WatchClient _watches;
    private readonly Cluster.ClusterClient _members;
    private readonly Maintenance.MaintenanceClient _maintenance;
    private readonly CancellationTokenSource _disposal = new();

    internal EtcdCalls(EtcdLogOptions options)
    {
        _options = options;
        _channel = EtcdChannel.Open(options);
        _keys = new KV.KVClient(_channel);
        _watches = new Watch.WatchClient(_channel);
        _members = new Cluster.ClusterClient(_channel);
        _maintenance = new Maintenance.MaintenanceClient(_channel);
    }

    /// <summary>A server that has lost its leader refuses calls with this header, and ends watches, instead of letting them wait.</summary>
    private static Metadata NeedsLeader => new() { { "hasleader", "true" } };

    internal CancellationToken Disposal => _disposal.Token;

    internal ValueTask<TxnResponse> TransactAsync(TxnRequest request, string what, CancellationToken cancellation) =>
        AskAsync(token => _keys.TxnAsync(request, NeedsLeader, cancellationToken: token), what, cancellation);

    internal ValueTask<RangeResponse> RangeAsync(RangeRequest request, string what, CancellationToken cancellation) =>
        AskAsync(token => _keys.RangeAsync(request, NeedsLeader, cancellationToken: token), what, cancellation);

    internal ValueTask<DeleteRangeResponse> DeleteAsync(DeleteRangeRequest request, string what, CancellationToken cancellation) =>
        AskAsync(token => _keys.DeleteRangeAsync(request, NeedsLeader, cancellationToken: token), what, cancellation);

    internal ValueTask<MemberListResponse> MembersAsync(CancellationToken cancellation) => AskAsync(
        token => _members.MemberListAsync(new MemberListRequest(), cancellationToken: token), "members", cancellation);

    internal ValueTask<StatusResponse> StatusAsync(CancellationToken cancellation) => AskAsync(
        token => _maintenance.StatusAsync(new StatusRequest(), cancellationToken: token), "status", cancellation);

    /// <summary>
    /// A watch that has been asked for. A connection that ends while the request is sent fails with what the connection throws, not with
    /// <see cref="RpcException"/> (grpc-dotnet#2638).
    /// </summary>
    internal async ValueTask<AsyncDuplexStreamingCall<WatchRequest, WatchResponse>> WatchAsync(
        WatchCreateRequest request, string what, CancellationToken end)
    {
        AsyncDuplexStreamingCall<WatchRequest, WatchResponse> watch = _watches.Watch(NeedsLeader, cancellationToken: end);
        try
        {
            await watch.RequestStream.WriteAsync(new WatchRequest { CreateRequest = request }, end).ConfigureAwait(false);
            return watch;
        }
        catch (Exception e)
        {
            watch.Dispose();
            if (e is IOException or HttpRequestException)
            {
                throw new LogUnavailableException($"Log '{_options.Name}', {what}: {e.Message}", e);
            }

            throw;
        }
    }

    public void Dispose()
    {
        if (!_disposal.IsCancellationRequested)
        {
            _disposal.Cancel();
            _channel.Dispose();
        }
    }

    private async ValueTask<T> AskAsync<T>(Func<CancellationToken, AsyncUnaryCall<T>> ask, string what, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        ObjectDisposedException.ThrowIf(_disposal.IsCancellationRequested, typeof(EtcdLog));
        using CancellationTokenSource end = CancellationTokenSource.CreateLinkedTokenSource(cancellation, _disposal.Token);
        end.CancelAfter(_options.RequestTimeout);
        try
        {
            using AsyncUnaryCall<T> call = ask(end.Token);
            return await call.ResponseAsync.ConfigureAwait(false);
        }
        catch (Exception e) when (e is RpcException or OperationCanceledException or ObjectDisposedException)
        {
            cancellation.ThrowIfCancellationRequested();
            ObjectDisposedException.ThrowIf(_disposal.IsCancellationRequested, typeof(EtcdLog));
            throw Failure(e, what);
        }
    }

    /// <summary>What servers say of a request above their limit, and of one far above it, which they do not read to its end.</summary>
    private static bool IsAboutLength(string detail) =>
        detail.Contains("request is too large", StringComparison.Ordinal) || detail.Contains("larger than max", StringComparison.Ordinal);

    private Exception Failure(Exception failure, string what) => failure switch
    {
        RpcException { StatusCode: StatusCode.InvalidArgument or StatusCode.ResourceExhausted } large
            when IsAboutLength(large.Status.Detail) => new EtcdSettingsException(
                $"The servers of the log '{_options.Name}' take no requests of this length: {large.Status.Detail}. Raise their "
                + $"--max-request-bytes above {_options.MaxEntryBytes + 1024}, or lower MaxEntryBytes.",
                large),
        RpcException { StatusCode: StatusCode.ResourceExhausted } full => new LogUnavailableException(
            $"Log '{_options.Name}', {what}: {full.Status.Detail}. Trim the log, compact and defragment etcd, disarm its alarm.", full),
        RpcException other => new LogUnavailableException(
            $"Log '{_options.Name}', {what}: {other.Status.Detail} ({other.StatusCode})", other),
        _ => new LogUnavailableException($"Log '{_options.Name}', {what}: no answer within {_options.RequestTimeout}", failure),
    };
}
