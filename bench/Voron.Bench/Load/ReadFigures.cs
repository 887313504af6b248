using System.Globalization;

namespace Voron.Bench.Load;

/// <summary>Reads of a tree beside what is pending, and when it is merged.</summary>
/// <param name="PendingBytes">Memory and files of what was pending.</param>
/// <param name="Pending">The times then.</param>
/// <param name="LeftBytes">What was still pending at the end: 0.</param>
/// <param name="Merged">The times at the end.</param>
internal sealed record ReadFigures(long PendingBytes, ReadTimes Pending, long LeftBytes, ReadTimes Merged)
{
    /// <summary>One line for people.</summary>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"a get {Pending.GetNanoseconds:N0} ns with {PendingBytes >> 20:N0} MiB pending, {Merged.GetNanoseconds:N0} ns with "
        + $"{LeftBytes >> 20:N0}: {Pending.GetNanoseconds / Merged.GetNanoseconds:N2} times; a position and ten entries "
        + $"{Pending.PositionNanoseconds:N0} and {Merged.PositionNanoseconds:N0} ns: "
        + $"{Pending.PositionNanoseconds / Merged.PositionNanoseconds:N2} times");
}
