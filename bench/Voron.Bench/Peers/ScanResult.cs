namespace Voron.Bench.Peers;

/// <summary>What a walk over all entries met.</summary>
/// <param name="Entries">Number of entries.</param>
/// <param name="Bytes">Their keys and values.</param>
internal readonly record struct ScanResult(long Entries, long Bytes);
