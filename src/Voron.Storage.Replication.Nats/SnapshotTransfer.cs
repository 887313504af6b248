using System.IO.Pipelines;
using System.Runtime.ExceptionServices;

namespace Voron.Storage.Replication.Nats;

/// <summary>
/// The content of a snapshot on its way between the caller and the servers, through a pipe: neither end gets far ahead of the other. The
/// end that fails first ends the other one. The servers may be silent for a time only; how long the caller takes does not count.
/// </summary>
internal sealed class SnapshotTransfer : IDisposable
{
    private const int BytesAhead = 2 << 20;

    private readonly Pipe _pipe = new(new PipeOptions(
        pauseWriterThreshold: BytesAhead,
        resumeWriterThreshold: BytesAhead / 2,
        minimumSegmentSize: 64 << 10,
        useSynchronizationContext: false));

    private readonly TimeSpan _patience;
    private readonly CancellationTokenSource _silence = new();
    private readonly CancellationTokenSource _end;

    /// <summary>What ended the transfer early.</summary>
    private Exception? _failure;

    internal SnapshotTransfer(TimeSpan patience, CancellationToken cancellation, CancellationToken disposal)
    {
        _patience = patience;
        _end = CancellationTokenSource.CreateLinkedTokenSource(cancellation, disposal, _silence.Token);
    }

    /// <summary>What the caller writes goes to the servers.</summary>
    /// <param name="write">Writes all of it.</param>
    /// <param name="store">Reads it to its end, and stores it. Its failures are shown as they are.</param>
    internal Task UploadAsync(
        Func<PipeWriter, CancellationToken, ValueTask> write, Func<Stream, CancellationToken, Task> store) => RunAsync(
        async () =>
        {
            await write(_pipe.Writer, _end.Token).ConfigureAwait(false);

            // A caller that ends early because it was cancelled has not written all.
            _end.Token.ThrowIfCancellationRequested();
        },
        failure => _pipe.Writer.Complete(failure),
        _pipe.Reader.AsStream(leaveOpen: true),
        store,
        failure => _pipe.Reader.Complete(failure));

    /// <summary>What the servers have goes to the caller.</summary>
    /// <param name="read">Reads it.</param>
    /// <param name="fetch">Writes all of it. Its failures are shown as they are.</param>
    internal Task DownloadAsync(
        Func<PipeReader, CancellationToken, ValueTask> read, Func<Stream, CancellationToken, Task> fetch) => RunAsync(
        async () => await read(_pipe.Reader, _end.Token).ConfigureAwait(false),
        failure => _pipe.Reader.Complete(failure),
        _pipe.Writer.AsStream(leaveOpen: true),
        fetch,
        failure => _pipe.Writer.Complete(failure));

    public void Dispose()
    {
        _end.Dispose();
        _silence.Dispose();
    }

    private async Task RunAsync(
        Func<Task> caller,
        Action<Exception?> callerEnds,
        Stream stream,
        Func<Stream, CancellationToken, Task> servers,
        Action<Exception?> serversEnd)
    {
        PatientStream patient = new(stream, this);
        await using (patient.ConfigureAwait(false))
        {
            WaitForServers();
            Task<Exception?> stored = EndAsync(() => servers(patient, _end.Token), serversEnd, isFollowing: static _ => false);

            // A caller that was cancelled because of the servers is not the cause.
            Task<Exception?> called = EndAsync(
                caller, callerEnds, failure => failure is OperationCanceledException && _end.IsCancellationRequested);
            Exception? failure = await called.ConfigureAwait(false);
            failure = await stored.ConfigureAwait(false) ?? failure;
            if (failure is not null)
            {
                ExceptionDispatchInfo.Throw(_failure ?? failure);
            }
        }
    }

    private async Task<Exception?> EndAsync(Func<Task> run, Action<Exception?> end, Func<Exception, bool> isFollowing)
    {
        try
        {
            await run().ConfigureAwait(false);
            end(null);
            return null;
        }
        catch (Exception failure)
        {
            if (!isFollowing(failure))
            {
                Interlocked.CompareExchange(ref _failure, failure, null);
            }

            end(failure);
            await _end.CancelAsync().ConfigureAwait(false);
            return failure;
        }
    }

    private void WaitForServers() => _silence.CancelAfter(_patience);

    private void WaitForCaller() => _silence.CancelAfter(Timeout.InfiniteTimeSpan);

    /// <summary>The end of the pipe that the servers' client has. While it waits there it waits for the caller.</summary>
    private sealed class PatientStream(Stream inner, SnapshotTransfer transfer) : Stream
    {
        public override bool CanRead => inner.CanRead;

        public override bool CanSeek => false;

        public override bool CanWrite => inner.CanWrite;

        public override long Length => throw new NotSupportedException();

        public override long Position
        {
            get => throw new NotSupportedException();
            set => throw new NotSupportedException();
        }

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            transfer.WaitForCaller();
            int read = await inner.ReadAsync(buffer, cancellationToken).ConfigureAwait(false);
            transfer.WaitForServers();
            return read;
        }

        public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            transfer.WaitForCaller();
            await inner.WriteAsync(buffer, cancellationToken).ConfigureAwait(false);
            transfer.WaitForServers();
        }

        public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
            ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

        public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
            WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override void Flush()
        {
        }

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();
    }
}
