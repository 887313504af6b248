namespace Voron.Bench.Measuring;

/// <summary>What was measured, with the device's speed before and after it.</summary>
internal sealed record Round(Measured Measured, Probe Before, Probe After)
{
    /// <summary>Fewer writes than these say nothing about the device.</summary>
    private const int LeastWrites = 100;

    /// <summary>True when the device changed its speed meanwhile: a ratio to the limit says little then.</summary>
    internal bool Disturbed => Before.Writes >= LeastWrites && Probe.Differ(Before.Microseconds, After.Microseconds);

    /// <summary>Of the faster probe.</summary>
    internal double WritesPerSecond => Math.Max(Before.WritesPerSecond, After.WritesPerSecond);
}
