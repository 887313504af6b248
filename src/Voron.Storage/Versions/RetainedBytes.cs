using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>
/// Adds up the bytes of replaced and freed pages that snapshots see, for each of them and for all together, in one pass: the snapshots
/// that see an interval [a, b) are adjacent in their order.
/// </summary>
/// <param name="snapshots">In ascending order; several readers may have the same.</param>
/// <param name="bytes">Bytes that each of them sees, after <see cref="Finish"/>; as many as there are snapshots.</param>
internal ref struct RetainedBytes(ReadOnlySpan<TransactionId> snapshots, Span<long> bytes)
{
    private readonly ReadOnlySpan<TransactionId> _snapshots = snapshots;

    /// <summary>Until <see cref="Finish"/>: how many more bytes each sees than the one before it.</summary>
    private readonly Span<long> _bytes = bytes;

    /// <summary>Bytes that at least one of them sees.</summary>
    internal long Together { get; private set; }

    internal void Add(TransactionId createdBy, TransactionId supersededBy, long count)
    {
        int first = FirstFrom(createdBy);
        int end = FirstFrom(supersededBy);
        if (first >= end)
        {
            return;
        }

        Together += count;
        _bytes[first] += count;
        if (end < _bytes.Length)
        {
            _bytes[end] -= count;
        }
    }

    internal readonly void Finish()
    {
        for (int i = 1; i < _bytes.Length; i++)
        {
            _bytes[i] += _bytes[i - 1];
        }
    }

    private readonly int FirstFrom(TransactionId snapshot)
    {
        int first = 0;
        int end = _snapshots.Length;
        while (first < end)
        {
            int middle = (first + end) / 2;
            if (_snapshots[middle] < snapshot)
            {
                first = middle + 1;
            }
            else
            {
                end = middle;
            }
        }

        return first;
    }
}
