using NATS.Client.JetStream.Models;

namespace Voron.Storage.Replication.Nats;

/// <summary>
/// What the configuration of a stream must be. An acknowledged entry has to stay until it is trimmed: every setting that drops entries,
/// moves them or lets them be replaced is refused. Limits of the size stay allowed: a stream with <c>discard: new</c> refuses there.
/// </summary>
internal static class StreamSettings
{
    /// <summary>Entries are at most this much shorter than the server's messages: those have headers, and the subjects.</summary>
    internal const int HeadBytes = 1024;

    /// <summary>The shortest limit of an entry that the contract of a log allows.</summary>
    internal const int LeastEntryBytes = 4096;

    internal static StreamConfig New(JetStreamLogOptions options) => new(options.Stream, [options.SubjectOrDefault])
    {
        Storage = StreamConfigStorage.File,
        Retention = StreamConfigRetention.Limits,
        Discard = StreamConfigDiscard.New,
        NumReplicas = options.Replicas,
        DenyDelete = true,
        MaxMsgs = -1,
        MaxBytes = -1,
        MaxAge = TimeSpan.Zero,
        MaxConsumers = -1,
        DuplicateWindow = TimeSpan.FromSeconds(1),
    };

    /// <summary>The longest entry that a server and the stream take.</summary>
    internal static int LongestOf(int maxPayload, StreamConfig settings) =>
        (settings.MaxMsgSize > 0 ? Math.Min(maxPayload, settings.MaxMsgSize) : maxPayload) - HeadBytes;

    /// <summary>What must be set in another way; empty if the stream can carry commits.</summary>
    internal static IReadOnlyList<string> Check(StreamConfig found, JetStreamLogOptions options)
    {
        List<string> wrong = [];
        void Must(bool holds, string wanted, object? is_)
        {
            if (!holds)
            {
                wrong.Add($"{wanted} (it is {is_ ?? "unset"})");
            }
        }

        Must(found.Storage == StreamConfigStorage.File, "storage: file", found.Storage);
        Must(found.Discard == StreamConfigDiscard.New, "discard: new", found.Discard);
        Must(found.Retention == StreamConfigRetention.Limits, "retention: limits", found.Retention);
        Must(found.DenyDelete, "deny_delete: true", found.DenyDelete);
        Must(!found.DenyPurge, "deny_purge: false, or it can never be trimmed", found.DenyPurge);
        Must(!found.AllowRollupHdrs, "allow_rollup_hdrs: false", found.AllowRollupHdrs);
        Must(!found.Sealed, "sealed: false", found.Sealed);
        Must(!found.NoAck, "no_ack: false", found.NoAck);
        Must(!found.AllowMsgTTL, "allow_msg_ttl: false", found.AllowMsgTTL);
        Must(found.MaxAge == TimeSpan.Zero, "max_age: 0", found.MaxAge);
        Must(found.MaxMsgsPerSubject <= 0, "max_msgs_per_subject: -1", found.MaxMsgsPerSubject);
        Must(
            found.MaxMsgSize <= 0 || found.MaxMsgSize >= LeastEntryBytes + HeadBytes,
            $"max_msg_size: -1 or at least {LeastEntryBytes + HeadBytes}",
            found.MaxMsgSize);
        Must(found.Mirror is null, "mirror: unset", found.Mirror?.Name);
        Must(found.Sources is not { Count: > 0 }, "sources: unset", found.Sources?.Count);
        Must(found.SubjectTransform is null, "subject_transform: unset", found.SubjectTransform?.Src);
        Must(
            found.Subjects is { Count: 1 } subjects && subjects.First() == options.SubjectOrDefault,
            $"subjects: {options.SubjectOrDefault} and no other",
            found.Subjects is null ? null : string.Join(", ", found.Subjects));
        Must(found.NumReplicas >= options.Replicas, $"num_replicas: at least {options.Replicas}", found.NumReplicas);
        Must(found.PersistMode is null or StreamConfigPersistMode.Default, "persist_mode: default", found.PersistMode);
        return wrong;
    }
}
