using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.History;

/// <summary>Writes the frames of a stream to a pipe, and flushes it often enough that the pipe bounds what is in memory.</summary>
internal sealed class FrameWriter(PipeWriter pipe, TimeProvider time, long bytesPerSecond, CancellationToken cancellation)
{
    private const int FlushBytes = 256 << 10;

    private readonly long _began = time.GetTimestamp();
    private long _number;
    private long _unflushed;

    internal long Bytes { get; private set; }

    /// <summary>Writes a frame whose payload is a structure.</summary>
    internal void Write<T>(FrameKind kind, T payload)
        where T : unmanaged => Write(kind, MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in payload)), default);

    /// <summary>Writes a frame whose payload is a structure and bytes after it.</summary>
    internal void Write<T>(FrameKind kind, T head, ReadOnlySpan<byte> bytes)
        where T : unmanaged => Write(kind, MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in head)), bytes);

    /// <summary>Waits for the reader of the pipe if enough was written since the last time, and for the limit of the rate.</summary>
    internal ValueTask FlushIfFullAsync() => _unflushed >= FlushBytes ? FlushAsync() : ValueTask.CompletedTask;

    internal async ValueTask FlushAsync()
    {
        _unflushed = 0;
        FlushResult result = await pipe.FlushAsync(cancellation).ConfigureAwait(false);
        if (result.IsCanceled)
        {
            Throw.PipeCancelled();
        }

        if (result.IsCompleted)
        {
            Throw.PipeClosed();
        }

        if (bytesPerSecond > 0)
        {
            TimeSpan due = TimeSpan.FromSeconds(Bytes / (double)bytesPerSecond) - time.GetElapsedTime(_began);
            if (due > TimeSpan.FromMilliseconds(1))
            {
                await Task.Delay(due, time, cancellation).ConfigureAwait(false);
            }
        }
    }

    private void Write(FrameKind kind, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
    {
        // Both structures are whole words long, so their checksum goes on with the bytes after them.
        int padded = (second.Length + sizeof(ulong) - 1) & -sizeof(ulong);
        int bytes = FrameHead.SizeBytes + first.Length + padded;
        Span<byte> frame = pipe.GetSpan(bytes)[..bytes];
        Span<byte> payload = frame[FrameHead.SizeBytes..];
        first.CopyTo(payload);
        second.CopyTo(payload[first.Length..]);
        payload[(first.Length + second.Length)..].Clear();
        FrameHead head = new()
        {
            Kind = kind,
            Bytes = first.Length + second.Length,
            Number = _number++,
            PayloadChecksum = Checksum.Compute(payload),
        };
        MemoryMarshal.Write(frame, in head);
        head.Checksum = Checksum.Compute(frame[sizeof(ulong)..FrameHead.SizeBytes]);
        MemoryMarshal.Write(frame, in head);
        pipe.Advance(bytes);
        _unflushed += bytes;
        Bytes += bytes;
    }
}
