using Voron.Storage.Checkpoints;
using Voron.Storage.Commits;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.History;
using Voron.Storage.IO;

namespace Voron.Storage;

/// <summary>
/// What replication needs of an environment beyond its public surface: to apply the transactions of another node, to lead with a log that
/// has all commits first, and to go back to what the journal has. All but <see cref="Fail"/> is called by one caller at a time.
/// </summary>
internal sealed class ReplicaDoor
{
    private readonly FollowedDatabase _followed;
    private readonly Action _refuse;
    private ReplicaApply? _apply;

    /// <param name="environment">The environment; it refuses write transactions from now on.</param>
    /// <param name="refuse">Throws why a write transaction cannot begin.</param>
    internal ReplicaDoor(StorageEnvironment environment, Action refuse)
    {
        _followed = environment.Followed;
        _refuse = refuse;
        _followed.MakeReplaceable();
        Database.Refuse = refuse;
        Log = Database.Source is { } source ? StreamHead.GuidOf(source) : null;
    }

    /// <summary>The last transaction of the database, whether it is on the device or not.</summary>
    internal long LastTransaction => Database.Parts.Pipeline.LastSealed.Value;

    internal long LastDurable => Database.Parts.Pipeline.LastDurable.Value;

    /// <summary>The last transaction that readers see.</summary>
    internal long VisibleTransaction => Database.Parts.Versions.Visible.Value;

    /// <summary>The log whose transactions the database has; null for a new one.</summary>
    internal Guid? Log { get; private set; }

    private Database Database => _followed.Present;

    private ReplicaApply Applying => _apply ??= new ReplicaApply(Database);

    /// <summary>The settings of a database whose transactions a log carries.</summary>
    internal static StorageOptions SettingsOf(StorageOptions options, int fragmentBytes) => options.ForReplica(fragmentBytes);

    /// <summary>Refuses a database with transactions that are in no log.</summary>
    internal void ThrowIfAlone()
    {
        if (Log is null && LastTransaction > 0)
        {
            Engine.Throw.NoReplica(Database.Parts.File.Path, Database.Parts.Pipeline.LastSealed);
        }
    }

    /// <summary>Makes a new database one that takes its transactions of this log, durably; does nothing if it is one already.</summary>
    internal void Join(Guid log)
    {
        if (Log is null)
        {
            ThrowIfAlone();
            Mark(Database.Parts.Files.Disk, Path.GetDirectoryName(Database.Parts.File.Path)!, log);
            Database.Source = StreamHead.IdOf(log);
            Log = log;
        }
    }

    /// <summary>Makes a database that is not open one that takes its transactions of this log.</summary>
    internal static void Mark(IDisk disk, string folder, Guid log) =>
        FollowerMark.Write(disk, new DatabasePaths(folder), StreamHead.IdOf(log));

    /// <summary>Cuts what this database commits into parts for the log. Valid until it is opened again.</summary>
    internal GroupParts MakeParts()
    {
        DatabaseParts parts = Database.Parts;
        return new GroupParts(new PlacedContent(parts.Files.Disk, parts.File.Path, parts.File.PageBytes, parts.File));
    }

    /// <summary>
    /// Locks a database that takes its transactions of a log and is not open, damaged or not. It cannot be opened until the lock is
    /// disposed.
    /// </summary>
    /// <exception cref="StorageLockedException">It is open, here or in another process.</exception>
    /// <exception cref="InvalidOperationException">It takes its transactions of no log: it may be the only one with them.</exception>
    internal static IDisposable LockFollower(IDisk disk, string folder)
    {
        DatabasePaths paths = new(folder);
        DatabaseLock taken = DatabaseLock.Acquire(disk, paths, create: false);
        try
        {
            if (taken.Slots is { } slots && slots.TryFindReader(0, out ProcessSlot reader))
            {
                Engine.Throw.Locked(paths.LockFile, reader.Process);
            }

            if (FollowerMark.Read(disk, paths) is null)
            {
                Engine.Throw.NoFollowerToDiscard(folder);
            }

            return taken;
        }
        catch
        {
            taken.Dispose();
            throw;
        }
    }

    /// <summary>The log whose transactions a database has that need not be open; null if there is none.</summary>
    internal static Guid? LogOf(IDisk disk, string folder) =>
        FollowerMark.Read(disk, new DatabasePaths(folder)) is { } source ? StreamHead.GuidOf(source) : null;

    /// <summary>Applies a record of the log; see <see cref="ReplicaApply"/>.</summary>
    internal ValueTask<bool> ApplyAsync(RedoRecord record, ReadOnlyMemory<byte> body, CancellationToken cancellation) =>
        Applying.ApplyAsync(record, body, cancellation);

    /// <summary>Undoes what was applied of a transaction that has no end.</summary>
    internal void AbortApplied() => _apply?.Abort();

    /// <summary>
    /// Lets callers write: from now on the log has each group of commits before it is written here, and nothing is visible before that.
    /// </summary>
    internal void Lead(IOuterLog log, CommitMode mode)
    {
        AbortApplied();
        Database database = Database;
        DatabaseParts parts = database.Parts;
        parts.Pipeline.Lock.TryEnter(Timeout.InfiniteTimeSpan);
        try
        {
            // What was applied is in the log already.
            parts.Commits.Flush();
            parts.Commits.Writer.Outer = log;
            parts.Pipeline.OuterMode = mode;
            parts.Placed.KeepsUndone = true;
            database.Source = null;
            database.Refuse = null;
        }
        finally
        {
            parts.Pipeline.LeaveWriterLock();
        }
    }

    /// <summary>
    /// Refuses new write transactions. Returns true if none is open and all are written: then the database follows again. Otherwise it has
    /// to <see cref="Fail"/> and <see cref="Reopen"/>.
    /// </summary>
    /// <param name="log">The log.</param>
    /// <param name="patience">How long to wait for an open write transaction.</param>
    /// <param name="flushes">Whether what is not written yet is written first, which needs the log.</param>
    internal bool TryFollow(Guid log, TimeSpan patience, bool flushes)
    {
        Database database = Database;
        database.Refuse = _refuse;
        DatabaseParts parts = database.Parts;
        if (!parts.Pipeline.Lock.TryEnter(patience))
        {
            return false;
        }

        try
        {
            if (flushes)
            {
                parts.Commits.Flush();
            }

            if (parts.Pipeline.FailStop.IsPoisoned || parts.Pipeline.LastWritten < parts.Pipeline.LastSealed)
            {
                return false;
            }

            parts.Commits.Writer.Outer = null;
            parts.Pipeline.OuterMode = null;
            parts.Placed.KeepsUndone = false;
            database.Source = StreamHead.IdOf(log);
            return true;
        }
        catch (CommitOutcomeUnknownException)
        {
            return false;
        }
        finally
        {
            parts.Pipeline.LeaveWriterLock();
        }
    }

    /// <summary>Ends all commits that the journal does not have; their callers do not know the outcome.</summary>
    internal void Fail(Exception why)
    {
        Database.Refuse = _refuse;
        Database.Parts.Pipeline.FailStop.Poison(why);
    }

    /// <summary>Closes the database and opens it again, with what its journal has; waits for open transactions.</summary>
    /// <exception cref="StorageBusyException">Transactions were still open after the time-out; nothing was closed.</exception>
    internal void Reopen()
    {
        AbortApplied();
        _apply = null;
        _followed.Replace(static () => { }, next => next.Refuse = _refuse);
    }

    /// <summary>Closes the database and opens another one that was put in its place meanwhile.</summary>
    internal void Replace(Action swap)
    {
        AbortApplied();
        _apply = null;
        _followed.Replace(swap, next => next.Refuse = _refuse);
        Log = Database.Source is { } source ? StreamHead.GuidOf(source) : null;
    }

    /// <summary>Makes all durable that was applied or committed up to now.</summary>
    internal ValueTask FlushAsync(CancellationToken cancellation) => Database.FlushAsync(cancellation);
}
