using System.Diagnostics;
using Voron.Bench.Measuring;
using Voron.Bench.Peers;

namespace Voron.Bench.Load;

/// <summary>How far a fill is, and what it has taken until then.</summary>
/// <param name="Seconds">Since it began.</param>
/// <param name="Items">Committed.</param>
/// <param name="DeviceBytes">That the block device has written, by any process; null where no device is known.</param>
/// <param name="AnonymousBytes">Memory that no file stands behind.</param>
/// <param name="Files">Lengths of its files.</param>
/// <param name="Causes">What our engine has written, by cause; null for another one.</param>
internal sealed record FillMoment(
    double Seconds, int Items, long? DeviceBytes, long AnonymousBytes, StoreFiles Files, FillCauses? Causes)
{
    /// <summary>Now. Nothing is synced: a fill that is measured does not wait for this.</summary>
    internal static FillMoment Take(long start, int items, BlockDevice? device, string folder, IStore store) => new(
        Stopwatch.GetElapsedTime(start).TotalSeconds, items, device?.WrittenBytesByNow, Machine.AnonymousBytes, StoreFiles.In(folder),
        FillCauses.Of(store));
}
