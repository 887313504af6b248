using System.Runtime.InteropServices;

namespace Voron.Bench;

/// <summary>
/// A seeded source of bytes that no compressor shortens (SplitMix64). It maps a counter one to one onto 64-bit words, so no two of its
/// words are equal, and neither are two keys that are cut from it.
/// </summary>
internal struct RandomBytes(ulong seed)
{
    private const ulong Step = 0x9E3779B97F4A7C15;

    private ulong _state = seed;

    /// <summary>The source as it is after the number of words that are skipped.</summary>
    internal readonly RandomBytes After(long words) => new(_state + (Step * (ulong)words));

    internal ulong Next()
    {
        _state += Step;
        ulong word = _state;
        word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
        word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
        return word ^ (word >> 31);
    }

    /// <summary>A number below the bound. The bias of the high product is far below what a workload can show.</summary>
    internal int Below(int bound) => (int)Math.BigMul(Next(), (ulong)bound, out _);

    /// <summary>Fills a span whose length is a multiple of 8.</summary>
    internal void Fill(Span<byte> bytes)
    {
        foreach (ref ulong word in MemoryMarshal.Cast<byte, ulong>(bytes))
        {
            word = Next();
        }
    }

    /// <summary>The numbers from 0 on, in random order.</summary>
    internal int[] Permutation(int count)
    {
        int[] order = new int[count];
        for (int place = 0; place < count; place++)
        {
            int other = Below(place + 1);
            order[place] = order[other];
            order[other] = place;
        }

        return order;
    }
}
