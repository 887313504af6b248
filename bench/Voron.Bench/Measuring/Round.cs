namespace Voron.Bench.Measuring;

/// <summary>What was measured, with the device's speed before and after it.</summary>
internal sealed record Round(Measured Measured, Probe Before, Probe After)
{
    /// <summary>Fewer writes than these say nothing about the device.</summary>
    private const int LeastWrites = 100;

    /// <summary>A device that was slower than this times its best is not the one that the other rounds met.</summary>
    private const double MostOverBest = 1.5;

    /// <summary>
    /// True when the device changed its speed meanwhile, or was slow all the while: a ratio to the limit says little then.
    /// </summary>
    /// <param name="bestMicroseconds">The fastest probe of all rounds.</param>
    internal bool IsDisturbed(double bestMicroseconds) =>
        Before.Writes >= LeastWrites
        && (Probe.Differ(Before.Microseconds, After.Microseconds)
            || Math.Min(Before.Microseconds, After.Microseconds) > MostOverBest * bestMicroseconds);

    /// <summary>Of the faster probe.</summary>
    internal double WritesPerSecond => Math.Max(Before.WritesPerSecond, After.WritesPerSecond);
}
