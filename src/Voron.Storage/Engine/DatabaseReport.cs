using Voron.Storage.Checkpoints;
using Voron.Storage.Format;
using Voron.Storage.IO;

namespace Voron.Storage.Engine;

/// <summary>Reads the sizes and counters of an open database.</summary>
internal static class DatabaseReport
{
    internal static EnvironmentReport Make(
        DatabaseParts parts, Checkpointer checkpointer, ReaderWatch readers, BackPressure pressure, WriterBrake brake, long blockedWriters,
        Exception? trouble)
    {
        CheckpointBase onDisk = checkpointer.Base;
        long usedPages = onDisk.UsedPageCount + parts.Placed.PagesAfter(onDisk.TransactionId);
        IReadOnlyList<ReaderReport> reports = readers.Report(out long retainedBytes);
        return new EnvironmentReport
        {
            PageBytes = parts.File.PageBytes,
            DataFileBytes = parts.File.Bytes,
            FreeBytes = Math.Max(0, parts.File.Bytes - (usedPages * parts.File.PageBytes)),
            MaxDirtyBytes = pressure.MaxDirtyBytes,
            JournalSoftLimitBytes = pressure.JournalSoftLimitBytes,
            JournalHardLimitBytes = pressure.JournalHardLimitBytes,
            JournalBytes = parts.Commits.JournalBytes + parts.ImageJournal.JournalBytes,
            DirtyBytes = parts.Versions.Memory.UsedBytes,
            SpillBytes = parts.Versions.Memory.Spills.Bytes,
            PendingBytes = parts.Session.Pending.AllBytes,
            MergedEntries = parts.Session.Pending.Merged,
            PunchedBytes = parts.File.PunchedBytes,
            RetainedVersions = parts.Reclaim.HeldCount,
            RetainedBytes = retainedBytes,
            Readers = reports,
            LastTransactionId = parts.Versions.Visible.Value,
            CheckpointTransactionId = onDisk.TransactionId.Value,
            OpenReaders = parts.Readers.OpenReaders,
            OldestReaderAge = parts.Readers.OldestAge,
            Commits = parts.Pipeline.Commits,
            JournalWrites = parts.Commits.Writes,
            JournalBytesWritten = parts.Commits.BytesWritten,
            JournalSyncs = parts.Commits.Syncs,
            DataBytesWritten = checkpointer.DataBytesWritten,
            ImageBytesWritten = checkpointer.ImageBytesWritten,
            Checkpoints = checkpointer.Count,
            SlowedWriters = brake.Slowed,
            WaitingCommits = parts.Pipeline.Completing,
            LargestGroup = parts.Commits.LargestGroup,
            WriterWaits = parts.Pipeline.Lock.Waits,
            CheckpointLagBytes = pressure.JournalGrowth,
            BlockedWriters = blockedWriters,
            CheckpointTrouble = trouble,
            PoisonedBy = parts.Pipeline.FailStop.FirstError,
        };
    }
}
