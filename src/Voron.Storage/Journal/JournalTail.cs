using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.Threads;

namespace Voron.Storage.Journal;

/// <summary>
/// The last bytes that were written to the commit chunks, kept in memory while consumers of the change feed listen: what was written to the
/// device past the cache of the system would have to be read from the device again, between the next writes.
/// <para>Kept are contiguous bytes of one chunk. Readers that are further behind read the file.</para>
/// </summary>
internal sealed class JournalTail
{
    /// <summary>Length of what is kept: hundreds of short transactions.</summary>
    private const int MostBytes = 4 << 20;

    private readonly Gate _gate = new();
    private readonly int _mostBytes;

    /// <summary>A ring: the byte at an offset of the chunk is at that offset modulo its length. Null while no reader listens.</summary>
    private byte[]? _ring;
    private int _listeners;
    private long _sequence;
    private long _start;
    private long _end;

    internal JournalTail(int mostBytes = MostBytes) => _mostBytes = mostBytes;

    /// <summary>Keeps what is written from now on, until as many calls of <see cref="Leave"/>.</summary>
    internal void Listen()
    {
        using (_gate.Hold())
        {
            if (_listeners++ == 0)
            {
                _start = _end = 0;
                _ring = GC.AllocateUninitializedArray<byte>(_mostBytes);
            }
        }
    }

    internal void Leave()
    {
        using (_gate.Hold())
        {
            if (--_listeners == 0)
            {
                _ring = null;
            }
        }
    }

    /// <summary>Keeps the bytes of a write. Called before it is issued: readers ask only for what they know to be durable.</summary>
    internal void Keep(long sequence, long offset, ReadOnlySpan<byte> bytes)
    {
        if (Volatile.Read(ref _ring) is null)
        {
            return;
        }

        using (_gate.Hold())
        {
            if (_ring is not { } ring)
            {
                return;
            }

            if (sequence != _sequence || offset != _end)
            {
                _sequence = sequence;
                _start = offset;
            }

            _end = offset + bytes.Length;
            _start = Math.Max(_start, _end - ring.Length);
            long first = Math.Max(_start, offset);
            ReadOnlySpan<byte> kept = bytes[(int)(first - offset)..];
            int at = (int)(first % ring.Length);
            int untilEnd = Math.Min(kept.Length, ring.Length - at);
            kept[..untilEnd].CopyTo(ring.AsSpan(at));
            kept[untilEnd..].CopyTo(ring);
        }
    }

    /// <summary>
    /// Reads the header of the first record of the chunk that is being written, if that is a later one and its beginning is kept.
    /// </summary>
    internal bool TryReadFirst(long afterSequence, out RecordHeader header)
    {
        header = default;
        bool isKept = Volatile.Read(ref _sequence) > afterSequence
            && Read(_sequence, FormatConstants.ChunkBodyOffset, MemoryMarshal.AsBytes(new Span<RecordHeader>(ref header)))
                == RecordHeader.SizeBytes;
        return isKept && header.Sequence > afterSequence;
    }

    /// <summary>Copies what is kept of a chunk from an offset on, as much as the destination holds; returns how many bytes.</summary>
    internal int Read(long sequence, long offset, Span<byte> destination)
    {
        using (_gate.Hold())
        {
            if (_ring is not { } ring || sequence != _sequence || offset < _start || offset >= _end)
            {
                return 0;
            }

            int bytes = (int)Math.Min(destination.Length, _end - offset);
            int at = (int)(offset % ring.Length);
            int untilEnd = Math.Min(bytes, ring.Length - at);
            ring.AsSpan(at, untilEnd).CopyTo(destination);
            ring.AsSpan(0, bytes - untilEnd).CopyTo(destination[untilEnd..]);
            return bytes;
        }
    }
}
