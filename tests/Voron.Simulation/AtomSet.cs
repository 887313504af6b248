using System.Numerics;

namespace Voron.Simulation;

/// <summary>Which of a snapshot's atoms survive, one bit each.</summary>
internal sealed class AtomSet(int count)
{
    private readonly ulong[] _bits = new ulong[(count + 63) / 64];

    internal int Count { get; } = count;

    internal int Kept
    {
        get
        {
            int kept = 0;
            foreach (ulong word in _bits)
            {
                kept += BitOperations.PopCount(word);
            }

            return kept;
        }
    }

    internal bool this[int atom]
    {
        get => (_bits[atom / 64] & (1UL << (atom % 64))) != 0;
        set => _bits[atom / 64] = value ? _bits[atom / 64] | (1UL << (atom % 64)) : _bits[atom / 64] & ~(1UL << (atom % 64));
    }

    internal void SetAll(bool kept)
    {
        _bits.AsSpan().Fill(kept ? ulong.MaxValue : 0);
        if (kept && Count % 64 != 0)
        {
            _bits[^1] = (1UL << (Count % 64)) - 1;
        }
    }

    public override string ToString() => string.Create(Count, this, static (text, set) =>
    {
        for (int i = 0; i < text.Length; i++)
        {
            text[i] = set[i] ? '1' : '0';
        }
    });
}
