namespace Voron.Bench;

/// <summary>One fill with the device's speed before and after it.</summary>
internal sealed record Round(FillResult Fill, Probe Before, Probe After)
{
    /// <summary>True when the device changed its speed meanwhile: the ratio to the limit says little then.</summary>
    internal bool Disturbed => Probe.Differ(Before.Microseconds, After.Microseconds);

    /// <summary>Items a second if every write of the faster probe carried 100 items.</summary>
    internal double LimitItemsPerSecond => Math.Max(Before.WritesPerSecond, After.WritesPerSecond) * RawLimit.ItemsPerWrite;
}
