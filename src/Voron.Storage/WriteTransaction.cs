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
    private readonly WriteSession? _session;
    private readonly long _generation;

    internal WriteTransaction(WriteSession session, long generation)
    {
        _session = session;
        _generation = generation;
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
        return new Tree(session, _generation, session.OpenTree(name, create: true));
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
        int index = session.OpenTree(name, create: false);
        tree = index < 0 ? default : new Tree(session, _generation, index);
        return index >= 0;
    }

    /// <summary>Drops a tree with everything in it; false when there was none of that name.</summary>
    public bool DropTree(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return Session().DropTree(TreeName.Encode(name, bytes));
    }

    /// <summary>Drops a tree with everything in it; false when there was none of that name.</summary>
    public bool DropTree(scoped ReadOnlySpan<byte> name) => Session().DropTree(name);

    /// <summary>Gives a tree another name; false when there was none of that name. Open handles of it stay valid.</summary>
    /// <exception cref="InvalidOperationException">There is a tree of the new name; nothing was changed.</exception>
    public bool RenameTree(string name, string newName)
    {
        ArgumentNullException.ThrowIfNull(name);
        ArgumentNullException.ThrowIfNull(newName);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        Span<byte> newBytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return Session().RenameTree(TreeName.Encode(name, bytes), TreeName.Encode(newName, newBytes));
    }

    /// <summary>Gives a tree another name; false when there was none of that name. Open handles of it stay valid.</summary>
    /// <exception cref="InvalidOperationException">There is a tree of the new name; nothing was changed.</exception>
    public bool RenameTree(scoped ReadOnlySpan<byte> name, scoped ReadOnlySpan<byte> newName) => Session().RenameTree(name, newName);

    /// <summary>Names of all trees in byte order, this transaction's changes included.</summary>
    public IReadOnlyList<string> TreeNames
    {
        get
        {
            WriteSession session = Session();
            return TreeName.List(session.Source, session.Snapshot);
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
        Session().Commit(_generation, mode);
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
        return Session().CommitAsync(_generation, mode);
    }

    /// <summary>
    /// The first half of a commit; <see cref="Engine.Database.Complete"/> is the other. For tests of group commit on one thread.
    /// </summary>
    internal CommitTicket Seal(CommitMode mode) => Session().Seal(_generation, mode);

    /// <summary>Rolls back what was not committed; does nothing when the transaction has ended.</summary>
    public void Dispose() => _session?.Rollback(_generation);

    /// <inheritdoc cref="Dispose"/>
    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    /// <inheritdoc/>
    public bool Equals(WriteTransaction other) => _session == other._session && _generation == other._generation;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is WriteTransaction other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_session, _generation);

    /// <summary>True when both handles are the same transaction.</summary>
    public static bool operator ==(WriteTransaction left, WriteTransaction right) => left.Equals(right);

    /// <summary>True when the handles are different transactions.</summary>
    public static bool operator !=(WriteTransaction left, WriteTransaction right) => !left.Equals(right);

    private static void CheckMode(CommitMode mode)
    {
        if (mode is not (CommitMode.Durable or CommitMode.Buffered))
        {
            throw new ArgumentOutOfRangeException(nameof(mode), mode, "The commit mode is Durable or Buffered.");
        }
    }

    private WriteSession Session()
    {
        if (_session is null)
        {
            Transactions.Throw.TransactionEnded();
        }

        _session.CheckGeneration(_generation);
        return _session;
    }
}
