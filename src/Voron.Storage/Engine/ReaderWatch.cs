using System.Globalization;
using Voron.Storage.Checkpoints;
using Voron.Storage.Format;
using Voron.Storage.Threads;
using Voron.Storage.Transactions;
using Voron.Storage.Versions;

namespace Voron.Storage.Engine;

/// <summary>Reports what open readers retain, and warns of each that has been open for long.</summary>
internal sealed class ReaderWatch(DatabaseParts parts, StorageOptions options)
{
    /// <summary>Returns the open readers, oldest snapshot first, and what they retain together.</summary>
    internal IReadOnlyList<ReaderReport> Report(out long retainedBytes)
    {
        ReaderReport[] reports =
        [
            .. parts.Readers.OpenSlots()
                .Select(static slot => new ReaderReport(slot.Snapshot.Value, slot.Age, 0))
                .Where(static reader => reader.TransactionId != SnapshotScope.Unused.Value)
                .OrderBy(static reader => reader.TransactionId),
        ];
        retainedBytes = 0;
        if (reports.Length == 0)
        {
            // Commits wait while all versions are counted.
            return reports;
        }

        long[] bytes = new long[reports.Length];
        RetainedBytes seen = new([.. reports.Select(static reader => new TransactionId(reader.TransactionId))], bytes);
        using (parts.Versions.Gate.Hold())
        {
            parts.Reclaim.CountSeen(ref seen, parts.File.PageBytes);
        }

        seen.Finish();
        retainedBytes = seen.Together;
        for (int i = 0; i < reports.Length; i++)
        {
            reports[i] = reports[i] with { RetainedBytes = bytes[i] };
        }

        return reports;
    }

    /// <summary>Warns of old readers after a checkpoint: an old reader costs something only where pages change.</summary>
    internal void Warn()
    {
        if (!options.HasListener())
        {
            return;
        }

        foreach (ReaderSlot slot in parts.Readers.OpenSlots())
        {
            TimeSpan age = slot.Age;
            if (age >= options.ReaderWarningAge && slot.TryWarn())
            {
                string seconds = age.TotalSeconds.ToString("N0", CultureInfo.InvariantCulture);
                options.Report(
                    StorageEventKind.OldReader,
                    $"A read transaction of transaction {slot.Snapshot} is open for {seconds} s; dispose or renew it.");
            }
        }
    }
}
