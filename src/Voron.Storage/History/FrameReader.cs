using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.History;

/// <summary>Reads the frames of a stream from a pipe and verifies each. The payload is in memory until the next one is read.</summary>
internal sealed class FrameReader(PipeReader pipe, CancellationToken cancellation)
{
    /// <summary>Longest payload that is read, in bytes: a part of a transaction may be as long as a fragment with one long value.</summary>
    private const int MostBytes = 1 << 30;

    private byte[] _payload = [];
    private int _bytes;

    internal FrameKind Kind { get; private set; }

    /// <summary>Number of the present frame.</summary>
    internal long Number { get; private set; } = -1;

    /// <summary>Bytes of all frames so far.</summary>
    internal long BytesRead { get; private set; }

    internal ReadOnlyMemory<byte> Payload => _payload.AsMemory(0, _bytes);

    /// <summary>Reads the structure that the payload begins with.</summary>
    internal T HeadOf<T>()
        where T : unmanaged
    {
        if (_bytes < Marshal.SizeOf<T>())
        {
            Throw.BadFrame(Number, $"it has {_bytes} bytes, which is too short for its kind");
        }

        return MemoryMarshal.Read<T>(_payload);
    }

    /// <summary>Reads the first frame.</summary>
    internal async ValueTask<StreamHead> ReadHeadAsync()
    {
        if (!await TryReadAsync().ConfigureAwait(false) || Kind != FrameKind.Head)
        {
            Throw.BadFrame(0, "a stream of this engine begins with another frame");
        }

        StreamHead head = HeadOf<StreamHead>();
        if (head.Magic != StreamHead.StreamMagic || head.Version != StreamHead.StreamVersion)
        {
            Throw.BadFrame(0, $"its magic number is {head.Magic:x8}, its version {head.Version}");
        }

        return head;
    }

    /// <summary>Goes to the next frame; false if the pipe ends before it is complete.</summary>
    internal async ValueTask<bool> TryReadAsync()
    {
        ReadResult read = await pipe.ReadAtLeastAsync(FrameHead.SizeBytes, cancellation).ConfigureAwait(false);
        ThrowIfCancelled(read);
        if (read.Buffer.Length < FrameHead.SizeBytes)
        {
            pipe.AdvanceTo(read.Buffer.Start, read.Buffer.End);
            return false;
        }

        FrameHead head = Take(read.Buffer);
        pipe.AdvanceTo(read.Buffer.GetPosition(FrameHead.SizeBytes));
        int padded = (head.Bytes + sizeof(ulong) - 1) & -sizeof(ulong);
        if (!await TryFillAsync(padded).ConfigureAwait(false))
        {
            return false;
        }

        if (Checksum.Compute(_payload.AsSpan(0, padded)) != head.PayloadChecksum)
        {
            Throw.BadFrame(head.Number, "its content does not have its checksum");
        }

        Kind = head.Kind;
        Number = head.Number;
        _bytes = head.Bytes;
        BytesRead += FrameHead.SizeBytes + padded;
        return true;
    }

    private FrameHead Take(ReadOnlySequence<byte> buffer)
    {
        Span<byte> bytes = stackalloc byte[FrameHead.SizeBytes];
        buffer.Slice(0, FrameHead.SizeBytes).CopyTo(bytes);
        FrameHead head = MemoryMarshal.Read<FrameHead>(bytes);
        if (head.Checksum != Checksum.Compute(bytes[sizeof(ulong)..]) || head.Number != Number + 1 || head.Bytes is < 0 or > MostBytes)
        {
            Throw.BadFrame(Number + 1, "its head is damaged, or it is not the next one of its stream");
        }

        return head;
    }

    private async ValueTask<bool> TryFillAsync(int bytes)
    {
        if (_payload.Length < bytes)
        {
            _payload = GC.AllocateUninitializedArray<byte>(Math.Max(bytes, Math.Min(_payload.Length * 2, MostBytes)));
        }

        for (int done = 0; done < bytes;)
        {
            ReadResult read = await pipe.ReadAsync(cancellation).ConfigureAwait(false);
            ThrowIfCancelled(read);
            ReadOnlySequence<byte> piece = read.Buffer.Slice(0, Math.Min(read.Buffer.Length, bytes - done));
            piece.CopyTo(_payload.AsSpan(done));
            done += (int)piece.Length;
            pipe.AdvanceTo(piece.End);
            if (piece.IsEmpty && read.IsCompleted)
            {
                return false;
            }
        }

        return true;
    }

    private static void ThrowIfCancelled(ReadResult read)
    {
        if (read.IsCanceled)
        {
            Throw.PipeCancelled();
        }
    }
}
