using Voron.Storage.IO;

namespace Voron.Storage.Journal;

/// <summary>
/// Reads the next piece of a chunk on a separate thread while the current one is replayed. A failed read is discarded: the caller that
/// needs the piece reads it again and gets the error.
/// </summary>
internal sealed class ChunkReadAhead : IDisposable
{
    private readonly object _gate = new();
    private Thread? _thread;
    private AlignedBuffer? _buffer;
    private IDiskFile? _file;
    private long _length;
    private long _offset = -1;
    private int _bytes;
    private bool _isReading;
    private bool _stop;

    /// <summary>Sets the file to read from.</summary>
    internal void Begin(IDiskFile file, long length)
    {
        lock (_gate)
        {
            _file = file;
            _length = length;
            _offset = -1;
        }
    }

    /// <summary>Starts reading the piece at an offset; does nothing at the end of the chunk or during another read.</summary>
    internal void Ask(long offset)
    {
        lock (_gate)
        {
            if (offset >= _length || _isReading)
            {
                return;
            }

            // Do what can fail first: _isReading must not be set, and waited for, without a thread that reads.
            _buffer ??= AlignedBuffer.Allocate(ChunkContent.PieceBytes);
            if (_thread is null)
            {
                Thread thread = new(Run) { IsBackground = true, Name = "Voron read-ahead" };
                thread.Start();
                _thread = thread;
            }

            _offset = offset;
            _bytes = (int)Math.Min(_length - offset, ChunkContent.PieceBytes);
            _isReading = true;
            Monitor.PulseAll(_gate);
        }
    }

    /// <summary>Copies the bytes read at this offset and returns their length; 0 if the read failed or was of another offset.</summary>
    internal int Take(long offset, Span<byte> destination)
    {
        lock (_gate)
        {
            if (_offset != offset)
            {
                return 0;
            }

            WaitForRead();
            int bytes = Math.Min(_bytes, destination.Length);
            _buffer!.Slice(0, bytes).CopyTo(destination);
            _offset = -1;
            return bytes;
        }
    }

    /// <summary>Ends use of the file, which is about to be closed; waits for a read in progress.</summary>
    internal void End()
    {
        lock (_gate)
        {
            WaitForRead();
            _file = null;
            _length = 0;
            _offset = -1;
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _stop = true;
            Monitor.PulseAll(_gate);
        }

        _thread?.Join();
        _buffer?.Dispose();
    }

    private void WaitForRead()
    {
        while (_isReading)
        {
            Monitor.Wait(_gate);
        }
    }

    private void Run()
    {
        while (true)
        {
            IDiskFile file;
            lock (_gate)
            {
                while (!_isReading && !_stop)
                {
                    Monitor.Wait(_gate);
                }

                if (!_isReading)
                {
                    return;
                }

                file = _file!;
            }

            bool failed = file.Read(_offset, _buffer!.Slice(0, _bytes), out int read).Failed;
            lock (_gate)
            {
                _bytes = failed ? 0 : read;
                _isReading = false;
                Monitor.PulseAll(_gate);
            }
        }
    }
}
