namespace Voron.Storage.Transactions;

/// <summary>FIFO queue of the waiters for the writer lock. Guarded by the gate of <see cref="WriterLock"/>.</summary>
internal sealed class WriterLine
{
    private WriterTurn? _last;

    internal WriterTurn? First { get; private set; }

    internal void Add(WriterTurn turn)
    {
        turn.Previous = _last;
        turn.Next = null;
        turn.IsInLine = true;
        if (_last is null)
        {
            First = turn;
        }
        else
        {
            _last.Next = turn;
        }

        _last = turn;
    }

    internal void Remove(WriterTurn turn)
    {
        if (turn.Previous is { } previous)
        {
            previous.Next = turn.Next;
        }
        else
        {
            First = turn.Next;
        }

        if (turn.Next is { } next)
        {
            next.Previous = turn.Previous;
        }
        else
        {
            _last = turn.Previous;
        }

        turn.Next = null;
        turn.Previous = null;
        turn.IsInLine = false;
    }
}
