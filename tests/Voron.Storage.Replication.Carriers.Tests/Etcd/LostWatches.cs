namespace Voron.Storage.Replication.Carriers.Tests.Etcd;

/// <summary>Connections that end while the first requests for a watch are sent.</summary>
internal sealed class LostWatches(HttpMessageHandler connections, int count) : DelegatingHandler(connections)
{
    private int _left = count;

    internal int Left => Volatile.Read(ref _left);

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        if (request.RequestUri!.AbsolutePath.EndsWith("/Watch", StringComparison.Ordinal) && Interlocked.Decrement(ref _left) >= 0)
        {
            await request.Content!.CopyToAsync(new EndedStream(), cancellationToken);
        }

        return await base.SendAsync(request, cancellationToken);
    }

    private sealed class EndedStream : MemoryStream
    {
        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) => throw Ended();

        public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) => throw Ended();

        private static HttpIOException Ended() => new(HttpRequestError.ResponseEnded);
    }
}
