using Voron.Bench.Peers;

namespace Voron.Bench;

/// <summary>What a store must have met; a figure of a read that missed something means nothing.</summary>
internal static class Demands
{
    internal static long Count(string what, long met, long expected) =>
        met == expected ? met : throw new VerificationException($"{what}: {met:N0} right, {expected:N0} expected.");

    /// <summary>A walk met all items of a fill.</summary>
    internal static long Whole(string what, ScanResult met, DataSet data)
    {
        Count($"{what}, bytes", met.Bytes, (long)data.Items * (DataSet.KeyBytes + data.BytesPerValue));
        return Count(what, met.Entries, data.Items);
    }
}
