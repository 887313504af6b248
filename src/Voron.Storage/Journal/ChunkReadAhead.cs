using Voron.Storage.IO;
using Voron.Storage.Threads;

namespace Voron.Storage.Journal;

/// <summary>
/// Reads the next piece of a chunk on a separate thread while the current one is replayed. A failed read is discarded: the caller that
/// needs the piece reads it again and gets the error.
/// <para>One thread calls it. The fields are its own while no piece is asked for, and the worker's otherwise.</para>
/// </summary>
internal sealed class ChunkReadAhead : IDisposable
{
    private readonly Worker _worker;
    private AlignedBuffer? _buffer;
    private IDiskFile? _file;
    private long _length;
    private long _offset = -1;

    /// <summary>Number of bytes read at the offset; 0 until they are.</summary>
    private int _bytes;

    /// <summary>The next piece usually follows at once, so the thread stays.</summary>
    internal ChunkReadAhead() => _worker = new Worker("Voron read-ahead", Read, static _ => Timeout.InfiniteTimeSpan);

    /// <summary>Sets the file to read from.</summary>
    internal void Begin(IDiskFile file, long length)
    {
        _worker.WaitForAsked();
        _file = file;
        _length = length;
        _offset = -1;
    }

    /// <summary>Starts reading the piece at an offset; does nothing at the end of the chunk or during another read.</summary>
    internal void Ask(long offset)
    {
        if (offset < _length && !_worker.IsAsked)
        {
            _buffer ??= AlignedBuffer.Allocate(ChunkContent.PieceBytes);
            _offset = offset;
            _bytes = 0;
            _worker.Ask();
        }
    }

    /// <summary>Copies the bytes read at this offset and returns their length; 0 if the read failed or was of another offset.</summary>
    internal int Take(long offset, Span<byte> destination)
    {
        if (_offset != offset)
        {
            return 0;
        }

        _worker.WaitForAsked();
        int bytes = Math.Min(_bytes, destination.Length);
        _buffer!.Slice(0, bytes).CopyTo(destination);
        _offset = -1;
        return bytes;
    }

    /// <summary>Ends use of the file, which is about to be closed; waits for a read in progress.</summary>
    internal void End()
    {
        _worker.WaitForAsked();
        _file = null;
        _length = 0;
        _offset = -1;
    }

    public void Dispose()
    {
        _worker.Dispose();
        _buffer?.Dispose();
    }

    private void Read()
    {
        int wanted = (int)Math.Min(_length - _offset, ChunkContent.PieceBytes);
        bool failed = _file!.Read(_offset, _buffer!.Slice(0, wanted), out int read).Failed;
        _bytes = failed ? 0 : read;
    }
}
