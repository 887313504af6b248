using Voron.Storage;

namespace Voron.Simulation;

/// <summary>One call of the disk seam, as watchers and faults see it.</summary>
internal sealed class SimCall
{
    internal required long Number { get; init; }

    internal required SimCallKind Kind { get; init; }

    internal required string Path { get; init; }

    internal long Offset { get; init; }

    internal long Length { get; init; }

    /// <summary>The fault that met it, if any.</summary>
    internal SimFault? Fault { get; init; }

    /// <summary>What it returned; meaningful in <see cref="SimPhase.After"/>.</summary>
    internal IoError Result { get; set; }

    /// <summary>These bytes with one bit inverted; which one follows from the number of the call.</summary>
    internal byte[] Spoil(ReadOnlySpan<byte> bytes)
    {
        byte[] spoiled = bytes.ToArray();
        spoiled[(int)((ulong)Number * 37 % (ulong)spoiled.Length)] ^= 4;
        return spoiled;
    }

    public override string ToString() => $"call {Number}: {Kind} {Path} offset {Offset} length {Length}";
}
