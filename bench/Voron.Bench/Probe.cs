namespace Voron.Bench;

/// <summary>What the device alone did at one moment.</summary>
/// <param name="Writes">Number of writes.</param>
/// <param name="WriteBytes">Size of each.</param>
/// <param name="Seconds">Time of all of them.</param>
/// <param name="P50Microseconds">Half of the writes took no longer.</param>
/// <param name="P99Microseconds">99 of 100 writes took no longer.</param>
internal sealed record Probe(int Writes, int WriteBytes, double Seconds, double P50Microseconds, double P99Microseconds)
{
    /// <summary>Mean time of a write.</summary>
    internal double Microseconds => Seconds * 1e6 / Writes;

    internal double WritesPerSecond => Writes / Seconds;

    /// <summary>True when the device changed its speed by more than a quarter from one probe to the other.</summary>
    internal static bool Differ(double oneMicroseconds, double otherMicroseconds) =>
        Math.Max(oneMicroseconds, otherMicroseconds) > 1.25 * Math.Min(oneMicroseconds, otherMicroseconds);
}
