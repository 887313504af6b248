using System.Buffers.Binary;

namespace Voron.Simulation;

/// <summary>The only source of chance in a simulation: everything that looks random follows from its seed.</summary>
internal sealed class SimRandom(ulong seed)
{
    private ulong _state = seed;

    internal ulong State => _state;

    internal static ulong Mix(ulong left, ulong right) => new SimRandom(left ^ (right * 0xD6E8FEB86659FD93)).Next();

    internal ulong Next()
    {
        _state += 0x9E3779B97F4A7C15;
        ulong mixed = _state;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
        return mixed ^ (mixed >> 31);
    }

    internal int Below(int limit) => (int)(Next() % (ulong)limit);

    /// <summary>Both ends are possible.</summary>
    internal int Between(int least, int most) => least + Below(most - least + 1);

    internal bool OneIn(int chances) => Below(chances) == 0;

    internal void Fill(Span<byte> destination)
    {
        while (destination.Length >= 8)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(destination, Next());
            destination = destination[8..];
        }

        ulong last = Next();
        for (int i = 0; i < destination.Length; i++)
        {
            destination[i] = (byte)(last >> (8 * i));
        }
    }
}
