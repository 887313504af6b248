using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.Transactions;

/// <summary>
/// Writes a value of any length. One piece is in memory at a time; a full piece is written to the data file while the caller waits. The
/// value is put into the tree when the writer is completed.
/// </summary>
internal sealed class ValueWriter : PipeWriter
{
    private const int FirstBufferBytes = 4 << 10;

    private readonly WriteSession _session;
    private readonly long _generation;
    private readonly long _endedWriters;
    private readonly int _tree;
    private readonly int _pieceBytes;
    private readonly byte[] _key;
    private readonly List<PlacedRun> _pieces = [];
    private byte[] _buffer;
    private int _filled;
    private bool _isCancelled;
    private bool _isCompleted;

    internal ValueWriter(WriteSession session, long generation, int tree, ReadOnlySpan<byte> key)
    {
        session.Values.BeginWriter(tree, key);
        _session = session;
        _generation = generation;
        _endedWriters = session.Values.EndedWriters;
        _tree = tree;
        _pieceBytes = session.ValuePieceBytes;
        _key = key.ToArray();
        _buffer = ArrayPool<byte>.Shared.Rent(FirstBufferBytes);
    }

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _filled;

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        EnsureRoom(sizeHint);
        return _buffer.AsMemory(_filled);
    }

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override void Advance(int bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bytes, _buffer.Length - _filled);
        CheckOpen();
        _filled += bytes;
    }

    public override void CancelPendingFlush() => _isCancelled = true;

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        CheckOpen();
        WriteFullPieces();
        bool isCancelled = _isCancelled;
        _isCancelled = false;
        return new ValueTask<FlushResult>(new FlushResult(isCancelled, isCompleted: false));
    }

    public override void Complete(Exception? exception = null)
    {
        if (_isCompleted)
        {
            return;
        }

        _isCompleted = true;
        byte[] buffer = _buffer;
        _buffer = [];
        try
        {
            if (exception is null)
            {
                CheckLives();
                Store(buffer.AsSpan(0, _filled));
            }
            else if (Lives && _pieces.Count > 0)
            {
                _session.Values.FreePieces(_generation, CollectionsMarshal.AsSpan(_pieces));
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
            if (Lives)
            {
                _session.Values.EndWriter();
            }
        }
    }

    /// <summary>Puts the value. One that fits into a single piece is put like any other value.</summary>
    private void Store(ReadOnlySpan<byte> rest)
    {
        if (_pieces.Count == 0)
        {
            _session.Trees.Put(_generation, _tree, _key, rest);
            return;
        }

        if (!rest.IsEmpty)
        {
            _pieces.Add(_session.Values.WritePiece(_generation, rest));
        }

        _session.Values.PutPieces(_generation, _tree, _key, CollectionsMarshal.AsSpan(_pieces));
    }

    /// <summary>Grows the buffer up to the length of a piece, and beyond it only if a single request needs more.</summary>
    private void EnsureRoom(int sizeHint)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        CheckOpen();
        WriteFullPieces();
        int wanted = Math.Max(1, sizeHint);
        if (_buffer.Length - _filled >= wanted)
        {
            return;
        }

        long grown = Math.Max(Math.Min(_buffer.Length * 2L, _pieceBytes), (long)_filled + wanted);
        byte[] larger = ArrayPool<byte>.Shared.Rent(checked((int)grown));
        _buffer.AsSpan(0, _filled).CopyTo(larger);
        ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = larger;
    }

    private void WriteFullPieces()
    {
        int done = 0;
        for (; _filled - done >= _pieceBytes; done += _pieceBytes)
        {
            _pieces.Add(_session.Values.WritePiece(_generation, _buffer.AsSpan(done, _pieceBytes)));
        }

        if (done > 0)
        {
            _buffer.AsSpan(done, _filled - done).CopyTo(_buffer);
            _filled -= done;
        }
    }

    /// <summary>Whether the writer's transaction is still open and no rollback has ended the writer.</summary>
    private bool Lives => _session.Generation == _generation && _session.Values.EndedWriters == _endedWriters;

    private void CheckLives()
    {
        _session.CheckGeneration(_generation);
        if (!Lives)
        {
            Throw.WriterUndone();
        }
    }

    private void CheckOpen()
    {
        CheckLives();
        if (_isCompleted)
        {
            Throw.WriterCompleted();
        }
    }
}
