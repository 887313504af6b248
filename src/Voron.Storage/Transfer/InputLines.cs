using System.Buffers;
using System.IO.Pipelines;

namespace Voron.Storage.Transfer;

/// <summary>
/// Takes the input apart into lines, which end with a line feed or with a carriage return and a line feed. A line that is longer than the
/// buffer comes in parts. Lines are taken without waiting as long as the buffer has any.
/// </summary>
internal sealed class InputLines(PipeReader pipe, int longestPartBytes, CancellationToken cancellation) : IDisposable
{
    private const int FirstBufferBytes = 64 << 10;

    private byte[] _buffer = ArrayPool<byte>.Shared.Rent(FirstBufferBytes);
    private int _start;
    private int _end;

    /// <summary>Bytes from the start in which there is no line feed.</summary>
    private int _searched;
    private bool _isInsideLine;
    private bool _isOver;

    /// <summary>The number of the line that was taken last, or a part of it, from 1.</summary>
    internal long Number { get; private set; }

    /// <summary>Takes a line, or the next part of one, without what ends it; false if more input is needed.</summary>
    /// <param name="part">Valid until more input is read.</param>
    /// <param name="isEnd">Whether this is the last part of its line.</param>
    internal bool TryTake(out ReadOnlySpan<byte> part, out bool isEnd)
    {
        int found = _buffer.AsSpan(_start + _searched, _end - _start - _searched).IndexOf((byte)'\n');
        isEnd = found >= 0;
        int length = isEnd ? _searched + found : _end - _start;
        if (!isEnd && (_isOver ? length == 0 : length < longestPartBytes))
        {
            _searched = length;
            part = default;
            return false;
        }

        part = _buffer.AsSpan(_start, length);
        _start += length + (isEnd ? 1 : 0);
        _searched = 0;
        isEnd |= _isOver && _start == _end;
        Number += _isInsideLine ? 0 : 1;
        _isInsideLine = !isEnd;
        if (part is [.., (byte)'\r'])
        {
            part = part[..^1];
            if (!isEnd)
            {
                // What follows decides whether it belongs to the end of the line.
                Return(1);
            }
        }

        return true;
    }

    /// <summary>Returns the last bytes of a part that is not the end of its line: they come again, with what follows.</summary>
    internal void Return(int bytes) => _start -= bytes;

    /// <summary>Waits for more input; false at its end.</summary>
    internal async ValueTask<bool> ReadMoreAsync()
    {
        if (_isOver)
        {
            return false;
        }

        cancellation.ThrowIfCancellationRequested();
        ReadResult result = await pipe.ReadAsync(cancellation).ConfigureAwait(false);
        if (result.IsCanceled)
        {
            Throw.ReadCancelled();
        }

        MakeRoom();
        ReadOnlySequence<byte> taken = result.Buffer.Slice(0, Math.Min(result.Buffer.Length, _buffer.Length - _end));
        taken.CopyTo(_buffer.AsSpan(_end));
        _end += (int)taken.Length;
        _isOver = result.IsCompleted && taken.Length == result.Buffer.Length;
        pipe.AdvanceTo(taken.End);
        return true;
    }

    public void Dispose()
    {
        ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = [];
    }

    /// <summary>Moves the rest to the front, and doubles the buffer if it is full of one line.</summary>
    private void MakeRoom()
    {
        int rest = _end - _start;
        if (rest < _buffer.Length / 2)
        {
            _buffer.AsSpan(_start, rest).CopyTo(_buffer);
        }
        else
        {
            byte[] larger = ArrayPool<byte>.Shared.Rent(_buffer.Length * 2);
            _buffer.AsSpan(_start, rest).CopyTo(larger);
            ArrayPool<byte>.Shared.Return(_buffer);
            _buffer = larger;
        }

        _start = 0;
        _end = rest;
    }
}
