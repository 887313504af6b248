using Voron.Storage.Format;

namespace Voron.Storage.Journal;

/// <summary>
/// Puts a transaction's body together from its fragments and its commit record. The first fragment of an id discards earlier ones of that
/// id: they belong to a transaction that was rolled back or never committed.
/// </summary>
internal sealed class TransactionAssembler(TransactionId last)
{
    private byte[] _parts = [];
    private int _length;
    private uint _fragments;
    private TransactionId _last = last;

    /// <summary>Takes a record of transaction last + 1; true, with the whole body, when it ends the transaction.</summary>
    internal bool TryComplete(RecordHeader header, ReadOnlySpan<byte> part, out ReadOnlySpan<byte> body)
    {
        body = default;
        if (header.TransactionId != _last.Next.Value)
        {
            Throw.BadBody($"it is of transaction {header.TransactionId} where {_last.Next} should come");
        }

        if ((header.Flags & RecordFlags.Fragment) != 0)
        {
            TakeFragment(header, part);
            return false;
        }

        _last = new TransactionId(header.TransactionId);
        if (header.FragmentCount == 0)
        {
            body = part;
        }
        else
        {
            if (header.FragmentCount != _fragments)
            {
                Throw.BadBody($"transaction {_last} has {header.FragmentCount} fragments, {_fragments} were found");
            }

            Append(part);
            body = _parts.AsSpan(0, _length);
        }

        _fragments = 0;
        _length = 0;
        return true;
    }

    private void TakeFragment(in RecordHeader header, ReadOnlySpan<byte> part)
    {
        if (header.FragmentNumber == 0)
        {
            _fragments = 0;
            _length = 0;
        }

        if (header.FragmentNumber != _fragments)
        {
            string order = $"fragment {header.FragmentNumber} follows fragment {(long)_fragments - 1}";
            Throw.BadBody($"of transaction {header.TransactionId}, {order}");
        }

        _fragments++;
        Append(part);
    }

    private void Append(ReadOnlySpan<byte> part)
    {
        int needed = checked(_length + part.Length);
        if (needed > _parts.Length)
        {
            Array.Resize(ref _parts, (int)Math.Min(Math.Max(needed, _parts.Length * 2L), Array.MaxLength));
        }

        part.CopyTo(_parts.AsSpan(_length));
        _length = needed;
    }
}
