using System.IO.Pipelines;
using Voron.Storage.Format;

namespace Voron.Storage.Transactions;

/// <summary>
/// Reads a value piece by piece in place: nothing is copied, and reads wait only for page faults. The next piece is delivered once all
/// previous ones were examined.
/// </summary>
internal sealed class ValueReader : PipeReader
{
    private readonly ValueScope _scope;
    private readonly OverflowReference _list;
    private readonly int _count;
    private ValueSegment _first;
    private ValueSegment _last;
    private int _firstIndex;
    private int _next = 1;
    private bool _isExamined;
    private bool _isCancelled;
    private bool _isCompleted;

    /// <summary>Creates a reader of a value in one piece.</summary>
    internal ValueReader(ValueScope scope, ReadOnlySpan<byte> value)
    {
        _scope = scope;
        _count = 1;
        _first = _last = new ValueSegment(new ValuePiece(scope, value), null);
    }

    /// <summary>Creates a reader of a value in several pieces.</summary>
    internal ValueReader(ValueScope scope, OverflowReference list)
    {
        _scope = scope;
        _list = list;
        _count = scope.Source.ReadList(list, scope.Snapshot).Length;
        _first = _last = PieceAt(0, null);
    }

    public override bool TryRead(out ReadResult result)
    {
        if (_isCompleted)
        {
            Throw.ReaderCompleted();
        }

        _scope.Check();
        if (_isExamined && _next < _count)
        {
            _last = PieceAt(_next++, _last);
            _isExamined = false;
        }

        bool isCancelled = _isCancelled;
        _isCancelled = false;
        result = new ReadResult(
            new System.Buffers.ReadOnlySequence<byte>(_first, _firstIndex, _last, _last.Memory.Length), isCancelled, _next == _count);
        return true;
    }

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        TryRead(out ReadResult result);
        return new ValueTask<ReadResult>(result);
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        _first = (ValueSegment)consumed.GetObject()!;
        _firstIndex = consumed.GetInteger();
        _isExamined = examined.GetObject() == _last && examined.GetInteger() == _last.Memory.Length;
    }

    public override void CancelPendingRead() => _isCancelled = true;

    public override void Complete(Exception? exception = null) => _isCompleted = true;

    private ValueSegment PieceAt(int index, ValueSegment? before) =>
        new(new ValuePiece(_scope, _scope.Source.ReadPiece(_list, index, _scope.Snapshot)), before);
}
