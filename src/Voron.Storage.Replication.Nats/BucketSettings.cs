using NATS.Client.JetStream.Models;
using NATS.Client.ObjectStore;

namespace Voron.Storage.Replication.Nats;

/// <summary>
/// What the stream of a bucket must be: a snapshot has to stay until it is deleted. A limit of the size is allowed; a full bucket refuses.
/// </summary>
internal static class BucketSettings
{
    /// <summary>The longest part of a snapshot: one is on its way at a time.</summary>
    private const int MostPartBytes = 512 << 10;

    internal static NatsObjConfig New(JetStreamSnapshotsOptions options) =>
        new(options.Bucket) { Storage = NatsObjStorageType.File, NumberOfReplicas = options.Replicas };

    /// <summary>What must be set in another way; empty if the bucket can keep snapshots.</summary>
    internal static IReadOnlyList<string> Check(StreamConfig found, JetStreamSnapshotsOptions options)
    {
        (bool Holds, string Wanted, object? Is)[] rules =
        [
            (found.Storage == StreamConfigStorage.File, "storage: file", found.Storage),
            (found.Discard == StreamConfigDiscard.New, "discard: new", found.Discard),
            (found.Retention == StreamConfigRetention.Limits, "retention: limits", found.Retention),
            (found.AllowRollupHdrs, "allow_rollup_hdrs: true", found.AllowRollupHdrs),
            (!found.DenyPurge, "deny_purge: false", found.DenyPurge),
            (!found.Sealed, "sealed: false", found.Sealed),
            (found.MaxAge == TimeSpan.Zero, "max_age: 0", found.MaxAge),
            (found.MaxMsgsPerSubject <= 0, "max_msgs_per_subject: -1", found.MaxMsgsPerSubject),
            (found.Mirror is null, "mirror: unset", found.Mirror?.Name),
            (found.Sources is not { Count: > 0 }, "sources: unset", found.Sources?.Count),
            (found.NumReplicas >= options.Replicas, $"num_replicas: at least {options.Replicas}", found.NumReplicas),
        ];
        return [.. rules.Where(static rule => !rule.Holds).Select(static rule => $"{rule.Wanted} (it is {rule.Is ?? "unset"})")];
    }

    /// <summary>How long the parts of a snapshot are.</summary>
    internal static int PartBytesOf(int maxPayload, StreamConfig settings) =>
        Math.Min(MostPartBytes, StreamSettings.LongestOf(maxPayload, settings));
}
