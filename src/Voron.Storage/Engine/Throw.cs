using System.Diagnostics.CodeAnalysis;
using Voron.Storage.Format;
using Voron.Storage.IO;

namespace Voron.Storage.Engine;

/// <summary>The exceptions of opening and closing.</summary>
internal static class Throw
{
    private const string Restore = "Restore a backup or copy out what is readable; nothing was changed.";

    [DoesNotReturn]
    internal static void PageSizeMismatch(string path, int asked, int found) => throw new ArgumentException(
        $"'{path}' was created with pages of {found} bytes, not {asked}. Leave StorageOptions.PageSize null to take what the file has.");

    [DoesNotReturn]
    internal static void Locked(string path, int holder)
    {
        string user = holder == 0 ? "another environment of this or another process"
            : holder == Environment.ProcessId ? $"another environment of this process ({holder})"
            : $"process {holder}";
        throw new StorageLockedException($"'{path}' is in use by {user}. Close that one first; a database is open only once at a time.");
    }

    [DoesNotReturn]
    internal static void SlotsFull(string path) => throw new StorageLockedException(
        $"All {ProcessSlots.Count - 1} reader slots of '{path}' are taken, or an older version has the database open for writing. "
        + "Close one of the readers first.");

    [DoesNotReturn]
    internal static void NotAdmitted(string path, int writer, TimeSpan waited) => throw new StorageLockedException(
        $"For {waited.TotalSeconds:0.###} s process {writer}, which writes the database of '{path}', admitted no readers: it opens or "
        + "closes the database, a checkpoint takes long, or one has failed. Try again later.");

    [DoesNotReturn]
    internal static void HeldByReader(string path, int reader, TimeSpan waited) => throw new StorageLockedException(
        $"Process {reader} reads an older checkpoint of '{path}', which this open would overwrite; it did not go on to the newest one in "
        + $"{waited.TotalSeconds:0.###} s. Have it call Refresh and end its read transactions, or end it.");

    [DoesNotReturn]
    internal static void MissingDatabase(string path) => throw new StorageIOException(
        $"There is no database in '{path}' and CreateIfMissing is false. Check the path, or allow it to be created.", "open", path, 2);

    [DoesNotReturn]
    internal static void JournalWithoutData(string path) => throw new StorageCorruptException(
        $"'{path}' has a journal but no data file. A new database is not created over it. {Restore}", path);

    [DoesNotReturn]
    internal static void JournalFull(Exception? cause) => throw new StorageFullException(
        "The journal has reached its hard limit because checkpoints cannot proceed. "
        + "Make room on the disk; commits go on by themselves afterwards. "
        + (cause?.Message ?? string.Empty),
        cause);

    [DoesNotReturn]
    internal static void Busy(int readers, bool writer, TimeSpan waited) => throw new StorageBusyException(
        $"After {waited.TotalSeconds:0.###} s there are still {readers} read transactions"
        + $"{(writer ? " and a write transaction" : string.Empty)} open. "
        + "Nothing was closed; end them and dispose again.");

    [DoesNotReturn]
    internal static void BadFollowerMark(string path) => throw new StorageCorruptException(
        $"'{path}' is damaged: it names the source of this follower. Restore a backup as a follower again; or delete the file, which makes "
        + "this a database of its own.",
        path);

    [DoesNotReturn]
    internal static void Follower(string path) => throw new StorageReadOnlyException(
        $"'{path}' is a follower: it takes the changes of its source by ApplyAsync only. PromoteAsync makes it a database of its own.");

    [DoesNotReturn]
    internal static void ReplicaGap(TransactionId id, TransactionId newest) => throw new ChangesGoneException(
        $"Transaction {id} of the log follows transaction {newest} of this database: those between are missing. Make the database anew "
        + "of a snapshot.",
        id.Value - 1);

    [DoesNotReturn]
    internal static void MissingFragment(TransactionId id, uint fragment) => throw new CorruptJournalException(
        $"The log has part {fragment} of transaction {id}, and not the one before it. Make the database anew of a snapshot.");

    [DoesNotReturn]
    internal static void BadReplicaRecord(TransactionId id, Exception? cause) => throw new CorruptJournalException(
        $"The log has a record of transaction {id} that cannot be applied to this database: {cause?.Message ?? "it is of no tree"}. Make "
        + "the database anew of a snapshot.");

    [DoesNotReturn]
    internal static void NoReplica(string path, TransactionId newest) => throw new InvalidOperationException(
        $"The database '{path}' has {newest} transactions that are in no log, so no log can go on with it. Begin with an empty folder.");

    [DoesNotReturn]
    internal static void NoFollowerToDiscard(string path) => throw new InvalidOperationException(
        $"The database '{path}' follows no log, so it may be the only one with its transactions: it is not discarded. If it is not needed "
        + "any more, delete the folder.");

    [DoesNotReturn]
    internal static void AlreadyCompacting(string path) => throw new InvalidOperationException(
        $"'{path}' is being compacted by another call of CompactAsync. Wait for that one; two would only move the same pages.");

    [DoesNotReturn]
    internal static void ReadOnly(string path) => throw new StorageReadOnlyException(
        $"'{path}' was opened with StorageOptions.ReadOnly; it cannot be changed. Open it without that option to write.");
}
