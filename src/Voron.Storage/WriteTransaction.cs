using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Transactions;

namespace Voron.Storage;

/// <summary>
/// The one write transaction. It sees its own changes; others see them when it has committed. Disposed without commit it is rolled back.
/// It may move between threads but serves one at a time. A copy of the handle is the same transaction.
/// </summary>
public readonly struct WriteTransaction : IDisposable, IAsyncDisposable, IEquatable<WriteTransaction>
{
    private readonly WriteLease? _lease;
    private readonly long _generation;

    internal WriteTransaction(WriteLease lease)
    {
        _lease = lease;
        _generation = lease.Generation;
    }

    /// <summary>The id that this transaction will have when it commits.</summary>
    public long TransactionId => Session().Snapshot;

    /// <summary>Opens a tree, creating it if it is missing.</summary>
    public Tree OpenTree(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return OpenTree(TreeName.Encode(name, bytes));
    }

    /// <summary>Opens a tree, creating it if it is missing.</summary>
    public Tree OpenTree(scoped ReadOnlySpan<byte> name)
    {
        WriteSession session = Session();
        return new Tree(session, _generation, session.OpenTree(_generation, name, create: true));
    }

    /// <summary>Opens a tree; false when there is none of that name.</summary>
    public bool TryOpenTree(string name, out Tree tree)
    {
        ArgumentNullException.ThrowIfNull(name);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return TryOpenTree(TreeName.Encode(name, bytes), out tree);
    }

    /// <summary>Opens a tree; false when there is none of that name.</summary>
    public bool TryOpenTree(scoped ReadOnlySpan<byte> name, out Tree tree)
    {
        WriteSession session = Session();
        int index = session.OpenTree(_generation, name, create: false);
        tree = index < 0 ? default : new Tree(session, _generation, index);
        return index >= 0;
    }

    /// <summary>Drops a tree with everything in it; false when there was none of that name.</summary>
    public bool DropTree(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return Session().DropTree(_generation, TreeName.Encode(name, bytes));
    }

    /// <summary>Drops a tree with everything in it; false when there was none of that name.</summary>
    public bool DropTree(scoped ReadOnlySpan<byte> name) => Session().DropTree(_generation, name);

    /// <summary>Gives a tree another name; false when there was none of that name. Open handles of it stay valid.</summary>
    /// <exception cref="InvalidOperationException">There is a tree of the new name; nothing was changed.</exception>
    public bool RenameTree(string name, string newName)
    {
        ArgumentNullException.ThrowIfNull(name);
        ArgumentNullException.ThrowIfNull(newName);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        Span<byte> newBytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return Session().RenameTree(_generation, TreeName.Encode(name, bytes), TreeName.Encode(newName, newBytes));
    }

    /// <summary>Gives a tree another name; false when there was none of that name. Open handles of it stay valid.</summary>
    /// <exception cref="InvalidOperationException">There is a tree of the new name; nothing was changed.</exception>
    public bool RenameTree(scoped ReadOnlySpan<byte> name, scoped ReadOnlySpan<byte> newName) =>
        Session().RenameTree(_generation, name, newName);

    /// <summary>
    /// Names of all trees in byte order, this transaction's changes included. One that is not UTF-8 is listed with U+FFFD where it is no
    /// text; only its bytes open it, which <see cref="TreeNameBytes"/> has.
    /// </summary>
    public IReadOnlyList<string> TreeNames
    {
        get
        {
            WriteSession session = Session();
            return TreeName.List(session.Source, session.Snapshot);
        }
    }

    /// <summary>Names of all trees in byte order, as the bytes that they are, this transaction's changes included.</summary>
    public IReadOnlyList<byte[]> TreeNameBytes
    {
        get
        {
            WriteSession session = Session();
            return TreeName.ListBytes(session.Source, session.Snapshot);
        }
    }

    /// <summary>
    /// Commits. When it returns, the transaction is as safe as the mode says; when it throws <see cref="CommitOutcomeUnknownException"/>,
    /// reopening the database decides. When it throws <see cref="StorageFullException"/>, nothing was committed and the transaction is
    /// still open.
    /// </summary>
    public void Commit(CommitMode mode = CommitMode.Durable)
    {
        CheckMode(mode);
        Ending().Commit(_lease!, _generation, mode);
    }

    /// <summary>
    /// Commits without a thread that waits. When the call returns, the transaction has ended and the next writer may begin; the task ends
    /// when the commit is as safe as the mode says, with the exceptions of <see cref="Commit"/>. Commits of many callers share writes.
    /// </summary>
    /// <param name="mode">What the commit is to survive.</param>
    /// <param name="cancellationToken">
    /// Cancelled before the call: nothing is committed and the transaction is still open. Later it has no effect.
    /// </param>
    public ValueTask CommitAsync(CommitMode mode = CommitMode.Durable, CancellationToken cancellationToken = default)
    {
        CheckMode(mode);
        cancellationToken.ThrowIfCancellationRequested();
        return Ending().CommitAsync(_lease!, _generation, mode);
    }

    /// <summary>
    /// The first half of a commit; <see cref="Engine.Database.Complete"/> is the other. For tests of group commit on one thread.
    /// </summary>
    internal CommitTicket Seal(CommitMode mode) => Ending().Seal(_lease!, _generation, mode);

    /// <summary>
    /// Remembers the present state, for <see cref="RollbackTo"/>. Savepoints lie one within the other; what is left of them at a commit is
    /// released.
    /// </summary>
    public Savepoint CreateSavepoint()
    {
        WriteSession session = Session();
        return new Savepoint(session, session.CreateSavepoint(_generation));
    }

    /// <summary>
    /// Undoes everything since a savepoint, which stays and can be gone back to again; those created behind it are gone. Handles of trees
    /// stay valid, but of trees that were created since. A transaction that failed behind the savepoint can be used again.
    /// </summary>
    /// <exception cref="InvalidOperationException">It is no savepoint of this transaction, or no more; nothing was changed.</exception>
    public void RollbackTo(Savepoint savepoint) => Session(savepoint).RollbackTo(_generation, savepoint.Number);

    /// <summary>Forgets a savepoint and those created behind it; the changes stay.</summary>
    /// <exception cref="InvalidOperationException">It is no savepoint of this transaction, or no more; nothing was changed.</exception>
    public void Release(Savepoint savepoint) => Session(savepoint).Release(_generation, savepoint.Number);

    /// <summary>Rolls back what was not committed; does nothing when the transaction has ended.</summary>
    public void Dispose()
    {
        if (_lease is { Session: var session } && session.Generation == _generation)
        {
            if (session.IsShared)
            {
                Transactions.Throw.CommitInside();
            }

            session.Rollback(_lease, _generation);
        }
    }

    /// <inheritdoc cref="Dispose"/>
    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    /// <inheritdoc/>
    public bool Equals(WriteTransaction other) => _lease == other._lease && _generation == other._generation;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is WriteTransaction other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_lease, _generation);

    /// <summary>True when both handles are the same transaction.</summary>
    public static bool operator ==(WriteTransaction left, WriteTransaction right) => left.Equals(right);

    /// <summary>True when the handles are different transactions.</summary>
    public static bool operator !=(WriteTransaction left, WriteTransaction right) => !left.Equals(right);

    private static void CheckMode(CommitMode mode)
    {
        if (mode is not (CommitMode.Durable or CommitMode.Buffered or CommitMode.Lazy))
        {
            throw new ArgumentOutOfRangeException(nameof(mode), mode, "The commit mode is Durable, Buffered or Lazy.");
        }
    }

    private WriteSession Session()
    {
        if (_lease is null)
        {
            Transactions.Throw.TransactionEnded();
        }

        _lease.Session.CheckGeneration(_generation);
        return _lease.Session;
    }

    private WriteSession Session(Savepoint savepoint)
    {
        WriteSession session = Session();
        if (savepoint.Session != session)
        {
            Transactions.Throw.NoSavepoint();
        }

        return session;
    }

    /// <summary>The session for who wants to end the transaction.</summary>
    private WriteSession Ending()
    {
        WriteSession session = Session();
        if (session.IsShared)
        {
            Transactions.Throw.CommitInside();
        }

        return session;
    }
}
