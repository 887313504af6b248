using System.Diagnostics;

namespace Voron.Storage.Extensions.Telemetry;

/// <summary>Converts what an environment reports of its writes and checkpoints into measurements and activities.</summary>
internal sealed class MeteringObserver(StorageMeter meter, KeyValuePair<string, object?> tag, TimeProvider time) : StorageObserver
{
    public override void JournalWritten(in JournalWriteReport write)
    {
        if (write.Commits > 0)
        {
            meter.CommitDuration.Record(write.Duration.TotalSeconds, tag);
            meter.CommitGroup.Record(write.Commits, tag);
        }
    }

    public override void CheckpointEnded(in CheckpointReport checkpoint)
    {
        meter.CheckpointDuration.Record(checkpoint.Duration.TotalSeconds, tag);
        DateTimeOffset now = time.GetUtcNow();
        using Activity? activity = VoronStorageTelemetry.Source.StartActivity(
            "voron.storage.checkpoint", ActivityKind.Internal, default(ActivityContext), [tag], null, now - checkpoint.Duration);
        activity?.SetTag("voron.storage.transaction", checkpoint.TransactionId);
        if (checkpoint.Error is { } error)
        {
            activity?.SetStatus(ActivityStatusCode.Error, error.Message);
        }

        activity?.SetEndTime(now.UtcDateTime);
    }
}
