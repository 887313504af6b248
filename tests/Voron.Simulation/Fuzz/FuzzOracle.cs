using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Simulation.Fuzz;

/// <summary>
/// To which transaction a damaged image may recover. All that was acknowledged, or, where the records that are lost cannot be told from a
/// write that a power cut tore: up to the first lost one, provided no sound record behind it says that something at or behind its place
/// was on the device before. That is the documented limit: rot in the last write.
/// </summary>
internal static class FuzzOracle
{
    /// <summary>Null when the transaction is right, else what is wrong.</summary>
    internal static string? Judge(FuzzSeedImage seed, FuzzImage damaged, long recovered)
    {
        if (recovered == seed.LastTransaction)
        {
            return null;
        }

        if (recovered > seed.LastTransaction || recovered < 0)
        {
            return $"recovered to transaction {recovered}; the last one was {seed.LastTransaction}";
        }

        FuzzRecord[] needed = [.. Chain(seed.Layout).Where(record => record.Transaction > recovered)];
        if (needed.Length == 0)
        {
            return $"recovered to {recovered} of {seed.LastTransaction}: the checkpoint holds more than that";
        }

        FuzzRecord[] lost = [.. needed.Where(record => !IsWhole(seed, damaged, record))];
        long firstLost = lost.Length == 0 ? long.MaxValue : lost.Min(static record => record.Transaction);
        if (firstLost > recovered + 1)
        {
            return $"recovered to {recovered} of {seed.LastTransaction}, although the records behind it are sound";
        }

        JournalPosition bad = lost[0].Position;
        bool isProven = needed.Any(record => IsThere(seed, damaged, record) && record.Durable >= bad);
        return isProven
            ? $"recovered to {recovered} of {seed.LastTransaction}, although a sound record says that more was there"
            : null;
    }

    /// <summary>
    /// Whether the head of an image set is lost that no slot names any more: an older checkpoint is then the base, over pages that the
    /// lost one may have overwritten, and nothing is left that shows it.
    /// </summary>
    internal static bool IsBaseForgotten(FuzzSeedImage seed, FuzzImage damaged)
    {
        long named = WholeSlots(seed, damaged).Select(static slot => slot.Checkpoint).DefaultIfEmpty().Max();
        return seed.Layout.Ranges.Any(range => range.Part == FuzzPart.ImageSetHead
            && MemoryMarshal.Read<ImageSetHead>(seed.Image[range.Path].AsSpan((int)range.Offset)).Checkpoint > named
            && !(IsThere(seed, damaged, range) && AreEqual(seed, damaged, range.Path, 0, ChunkHeader.SizeBytes)
                && damaged[range.Path]!.Length >= seed.Image[range.Path]!.Length));
    }

    /// <summary>Header slots that are as they were.</summary>
    internal static IEnumerable<HeaderSlot> WholeSlots(FuzzSeedImage seed, FuzzImage damaged) => seed.Layout.Ranges
        .Where(range => range.Part == FuzzPart.Slot && IsThere(seed, damaged, range))
        .Select(range => MemoryMarshal.Read<HeaderSlot>(seed.Image[range.Path].AsSpan((int)range.Offset)));

    /// <summary>Records behind the newest checkpoint that an open of the sound image reads.</summary>
    private static IEnumerable<FuzzRecord> Chain(FuzzLayout layout) =>
        layout.Records.Where(record => record.Transaction > layout.CheckpointTransaction);

    private static bool IsWhole(FuzzSeedImage seed, FuzzImage damaged, in FuzzRecord record) =>
        IsThere(seed, damaged, record) && AreEqual(seed, damaged, record.Path, 0, ChunkHeader.SizeBytes)
        && damaged[record.Path]!.Length >= seed.Image[record.Path]!.Length;

    private static bool IsThere(FuzzSeedImage seed, FuzzImage damaged, in FuzzRecord record) =>
        AreEqual(seed, damaged, record.Path, record.Offset, record.Bytes);

    private static bool IsThere(FuzzSeedImage seed, FuzzImage damaged, in FuzzRange range) =>
        AreEqual(seed, damaged, range.Path, range.Offset, range.Bytes);

    private static bool AreEqual(FuzzSeedImage seed, FuzzImage damaged, string path, long offset, int bytes) =>
        damaged[path] is { } now && now.Length >= offset + bytes
        && now.AsSpan((int)offset, bytes).SequenceEqual(seed.Image[path].AsSpan((int)offset, bytes));
}
