using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Voron.Simulation;

/// <summary>
/// A fast 128-bit hash for telling simulated states apart; not a defence against anybody. Sums of hashes are hashes of sets, so an image's
/// hash can follow its writes.
/// </summary>
internal readonly record struct Hash128(ulong Low, ulong High)
{
    private const ulong First = 0x9E3779B97F4A7C15, Second = 0xC2B2AE3D27D4EB4F, Third = 0x165667B19E3779F9;

    public static Hash128 operator +(Hash128 left, Hash128 right) => new(left.Low + right.Low, left.High + right.High);

    public static Hash128 operator -(Hash128 left, Hash128 right) => new(left.Low - right.Low, left.High - right.High);

    internal static Hash128 Of(ReadOnlySpan<byte> bytes, ulong seed = 0)
    {
        ulong a = seed ^ First;
        ulong b = Fold(seed ^ Third, (ulong)bytes.Length ^ Second);
        while (bytes.Length >= 16)
        {
            ulong left = BinaryPrimitives.ReadUInt64LittleEndian(bytes);
            ulong right = BinaryPrimitives.ReadUInt64LittleEndian(bytes[8..]);
            a = Fold(a ^ left, right ^ Second) + right;
            b = Fold(b ^ right, left ^ Third) + left;
            bytes = bytes[16..];
        }

        if (bytes.Length > 0)
        {
            Span<byte> tail = stackalloc byte[16];
            tail.Clear();
            bytes.CopyTo(tail);
            ulong left = BinaryPrimitives.ReadUInt64LittleEndian(tail);
            ulong right = BinaryPrimitives.ReadUInt64LittleEndian(tail[8..]);
            a = Fold(a ^ left, right ^ Second) + right;
            b = Fold(b ^ right, left ^ Third) + left;
        }

        return new Hash128(Fold(a ^ b, First), Fold(b ^ Second, a ^ Third));
    }

    internal static Hash128 Of(string text) => Of(MemoryMarshal.AsBytes(text.AsSpan()), 1);

    /// <summary>The hash of this followed by a value: unlike a sum it depends on the order.</summary>
    internal Hash128 Then(ulong value) =>
        new(Fold(Low ^ value, First ^ High) + value, Fold(High ^ Second, value ^ Third ^ Low) + Low);

    internal Hash128 Then(Hash128 other) => Then(other.Low).Then(other.High);

    public override string ToString() => $"{High:x16}{Low:x16}";

    private static ulong Fold(ulong left, ulong right)
    {
        ulong high = Math.BigMul(left, right, out ulong low);
        return high ^ low;
    }
}
