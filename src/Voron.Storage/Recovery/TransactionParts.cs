using Voron.Storage.Format;

namespace Voron.Storage.Recovery;

/// <summary>
/// Checks that records form whole transactions: fragments in order, and as many as the commit record says. A transaction is never held
/// in memory as a whole, whatever its length.
/// </summary>
internal sealed class TransactionParts(TransactionId last)
{
    private uint _fragments;
    private TransactionId _last = last;

    internal void Restart(TransactionId last) => (_last, _fragments) = (last, 0);

    /// <summary>Checks the next record, which must belong to transaction last + 1, and returns it as a part.</summary>
    internal TransactionPart Take(scoped in RecordHeader header, ReadOnlySpan<byte> body)
    {
        if (header.TransactionId != _last.Next)
        {
            Journal.Throw.BadBody($"it is of transaction {header.TransactionId} where {_last.Next} should come");
        }

        bool isLast = (header.Flags & RecordFlags.Fragment) == 0;
        TransactionPart part = new()
        {
            Id = _last.Next,
            Body = body,
            IsFirst = isLast ? header.FragmentCount == 0 : header.FragmentNumber == 0,
            IsLast = isLast,
        };
        if (isLast)
        {
            End(header);
        }
        else
        {
            TakeFragment(header);
        }

        return part;
    }

    private void End(in RecordHeader header)
    {
        _last = _last.Next;
        if (header.FragmentCount != 0 && header.FragmentCount != _fragments)
        {
            Journal.Throw.BadBody($"transaction {_last} has {header.FragmentCount} fragments, {_fragments} were found");
        }

        _fragments = 0;
    }

    private void TakeFragment(in RecordHeader header)
    {
        if (header.FragmentNumber == 0)
        {
            _fragments = 0;
        }

        if (header.FragmentNumber != _fragments)
        {
            string order = $"fragment {header.FragmentNumber} follows fragment {(long)_fragments - 1}";
            Journal.Throw.BadBody($"of transaction {header.TransactionId}, {order}");
        }

        _fragments++;
    }
}
