namespace Voron.Bench.Measuring;

/// <summary>The probe that stands before and after each round.</summary>
/// <param name="WriteBytes">Bytes of a write.</param>
/// <param name="Writes">Writes of a probe.</param>
/// <param name="ItemsPerWrite">Items that such a write would carry; 0 when the rows have no limit.</param>
internal sealed record ProbeSize(int WriteBytes, int Writes, int ItemsPerWrite)
{
    /// <summary>100 items of 16 + 100 bytes.</summary>
    internal static ProbeSize Headline { get; } = new(RawLimit.HeadlineWriteBytes, RawLimit.WritesPerProbe, RawLimit.ItemsPerWrite);

    /// <summary>One item, in one block.</summary>
    internal static ProbeSize OnePut { get; } = new(4096, RawLimit.WritesPerProbe, 1);

    /// <summary>Only to see whether the device changed its speed.</summary>
    internal static ProbeSize Short { get; } = new(RawLimit.HeadlineWriteBytes, 500, 0);

    /// <summary>For work that asks nothing of the device: hardly more than none.</summary>
    internal static ProbeSize None { get; } = new(RawLimit.HeadlineWriteBytes, 20, 0);
}
