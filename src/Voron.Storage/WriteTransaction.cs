using Voron.Storage.Commits;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Transactions;

namespace Voron.Storage;

/// <summary>
/// The one write transaction. It sees its own changes; other transactions see them once it has committed. Disposing it without a commit
/// rolls it back. It may move between threads but must be used by one at a time. A copy of the handle is the same transaction.
/// </summary>
public readonly struct WriteTransaction : IDisposable, IAsyncDisposable, IEquatable<WriteTransaction>
{
    private readonly WriteHandle? _lease;
    private readonly long _generation;

    internal WriteTransaction(WriteHandle lease)
    {
        _lease = lease;
        _generation = lease.Generation;
    }

    /// <summary>The id that this transaction will have when it commits.</summary>
    public long TransactionId => Session().Snapshot.Value;

    /// <summary>Opens a tree, creating it if it does not exist.</summary>
    public Tree OpenTree(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return OpenTree(TreeName.Encode(name, bytes));
    }

    /// <summary>Opens a tree, creating it if it does not exist.</summary>
    public Tree OpenTree(scoped ReadOnlySpan<byte> name)
    {
        WriteSession session = Session();
        return new Tree(session, _generation, session.Trees.Open(_generation, TreeName.Public(name), create: true));
    }

    /// <summary>Opens a tree, creating it with these options if it does not exist. One that exists keeps its own.</summary>
    public Tree OpenTree(string name, TreeOptions options)
    {
        ArgumentNullException.ThrowIfNull(name);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return OpenTree(TreeName.Encode(name, bytes), options);
    }

    /// <summary>Opens a tree, creating it with these options if it does not exist. One that exists keeps its own.</summary>
    public Tree OpenTree(scoped ReadOnlySpan<byte> name, TreeOptions options)
    {
        if (options == TreeOptions.None)
        {
            return OpenTree(name);
        }

        if (options != TreeOptions.WriteOptimized)
        {
            throw new ArgumentOutOfRangeException(nameof(options), options, "There are no such options of trees.");
        }

        WriteSession session = Session();
        int index = session.Trees.Open(_generation, TreeName.Public(name), TreeShape.WriteOptimized, create: true);
        return new Tree(session, _generation, index);
    }

    /// <summary>Opens a tree; returns false if no tree has that name.</summary>
    public bool TryOpenTree(string name, out Tree tree)
    {
        ArgumentNullException.ThrowIfNull(name);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return TryOpenTree(TreeName.Encode(name, bytes), out tree);
    }

    /// <summary>Opens a tree; returns false if no tree has that name.</summary>
    public bool TryOpenTree(scoped ReadOnlySpan<byte> name, out Tree tree)
    {
        WriteSession session = Session();
        int index = session.Trees.Open(_generation, TreeName.Public(name), create: false);
        tree = index < 0 ? default : new Tree(session, _generation, index);
        return index >= 0;
    }

    /// <summary>Opens a multi-value tree, creating it if it does not exist.</summary>
    /// <param name="name">The name of the tree.</param>
    /// <param name="valueBytes">Length of every value, 0 to 256 bytes; null if values may have any length.</param>
    /// <exception cref="TreeKindMismatchException">The tree is of another kind, or was created with another length.</exception>
    public MultiTree OpenMultiTree(string name, int? valueBytes = null)
    {
        ArgumentNullException.ThrowIfNull(name);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return OpenMultiTree(TreeName.Encode(name, bytes), valueBytes);
    }

    /// <summary>Opens a multi-value tree, creating it if it does not exist: see <see cref="OpenMultiTree(string, int?)"/>.</summary>
    public MultiTree OpenMultiTree(scoped ReadOnlySpan<byte> name, int? valueBytes = null)
    {
        WriteSession session = Session();
        if (valueBytes is < 0 or > TreeShape.MaxValueBytes)
        {
            Transactions.Throw.BadValueBytes(valueBytes.Value);
        }

        TreeShape shape = new(TreeKind.Multi, (ushort)(valueBytes ?? TreeShape.AnyLength));
        return new MultiTree(session, _generation, session.Trees.Open(_generation, TreeName.Public(name), shape, create: true));
    }

    /// <summary>Opens a multi-value tree with values of any length; returns false if no tree has that name.</summary>
    /// <exception cref="TreeKindMismatchException">The tree is of another kind.</exception>
    public bool TryOpenMultiTree(string name, out MultiTree tree)
    {
        ArgumentNullException.ThrowIfNull(name);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return TryOpenMultiTree(TreeName.Encode(name, bytes), out tree);
    }

    /// <summary>Opens a multi-value tree with values of any length; returns false if no tree has that name.</summary>
    /// <exception cref="TreeKindMismatchException">The tree is of another kind.</exception>
    public bool TryOpenMultiTree(scoped ReadOnlySpan<byte> name, out MultiTree tree)
    {
        WriteSession session = Session();
        int index = session.Trees.FindMulti(_generation, TreeName.Public(name));
        tree = index < 0 ? default : new MultiTree(session, _generation, index);
        return index >= 0;
    }

    /// <summary>Opens a fixed-size tree, creating it if it does not exist.</summary>
    /// <typeparam name="TKey">
    /// <see cref="long"/>, <see cref="ulong"/>, <see cref="double"/> or <see cref="Guid"/>; another one is an
    /// <see cref="ArgumentException"/>.
    /// </typeparam>
    /// <param name="name">The name of the tree.</param>
    /// <param name="valueSize">Length of every value, 0 to 1,024 bytes.</param>
    /// <exception cref="TreeKindMismatchException">
    /// The tree is of another kind, or was created with keys of another type or values of another length.
    /// </exception>
    public FixedTree<TKey> OpenFixedTree<TKey>(string name, int valueSize)
        where TKey : unmanaged
    {
        ArgumentNullException.ThrowIfNull(name);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return OpenFixedTree<TKey>(TreeName.Encode(name, bytes), valueSize);
    }

    /// <inheritdoc cref="OpenFixedTree{TKey}(string, int)"/>
    public FixedTree<TKey> OpenFixedTree<TKey>(scoped ReadOnlySpan<byte> name, int valueSize)
        where TKey : unmanaged
    {
        WriteSession session = Session();
        TreeShape shape = SessionFixedTrees.ShapeOf<TKey>(valueSize);
        return new FixedTree<TKey>(session, _generation, session.Trees.Open(_generation, TreeName.Public(name), shape, create: true));
    }

    /// <summary>Opens a fixed-size tree; returns false if no tree has that name.</summary>
    /// <exception cref="TreeKindMismatchException">The tree is of another kind, or has keys of another type.</exception>
    public bool TryOpenFixedTree<TKey>(string name, out FixedTree<TKey> tree)
        where TKey : unmanaged
    {
        ArgumentNullException.ThrowIfNull(name);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return TryOpenFixedTree(TreeName.Encode(name, bytes), out tree);
    }

    /// <inheritdoc cref="TryOpenFixedTree{TKey}(string, out FixedTree{TKey})"/>
    public bool TryOpenFixedTree<TKey>(scoped ReadOnlySpan<byte> name, out FixedTree<TKey> tree)
        where TKey : unmanaged
    {
        WriteSession session = Session();
        int index = session.Trees.FindFixed(_generation, TreeName.Public(name), SessionFixedTrees.KindOf<TKey>());
        tree = index < 0 ? default : new FixedTree<TKey>(session, _generation, index);
        return index >= 0;
    }

    /// <summary>Drops a tree with all of its entries; returns false if no tree has that name.</summary>
    public bool DropTree(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return DropTree(TreeName.Encode(name, bytes));
    }

    /// <summary>Drops a tree with all of its entries; returns false if no tree has that name.</summary>
    public bool DropTree(scoped ReadOnlySpan<byte> name) => Session().Trees.Drop(_generation, TreeName.Public(name));

    /// <summary>Renames a tree; returns false if no tree has the old name. Open handles of the tree stay valid.</summary>
    /// <exception cref="InvalidOperationException">A tree with the new name exists; nothing was changed.</exception>
    public bool RenameTree(string name, string newName)
    {
        ArgumentNullException.ThrowIfNull(name);
        ArgumentNullException.ThrowIfNull(newName);
        Span<byte> bytes = stackalloc byte[FormatConstants.MaxNameBytes];
        Span<byte> newBytes = stackalloc byte[FormatConstants.MaxNameBytes];
        return RenameTree(TreeName.Encode(name, bytes), TreeName.Encode(newName, newBytes));
    }

    /// <summary>Renames a tree; returns false if no tree has the old name. Open handles of the tree stay valid.</summary>
    /// <exception cref="InvalidOperationException">A tree with the new name exists; nothing was changed.</exception>
    public bool RenameTree(scoped ReadOnlySpan<byte> name, scoped ReadOnlySpan<byte> newName) =>
        Session().Trees.Rename(_generation, TreeName.Public(name), TreeName.Public(newName));

    /// <summary>
    /// The names of all trees in byte order, including this transaction's changes. Bytes that are not valid UTF-8 appear as U+FFFD; such a
    /// tree can be opened only with its name's bytes, from <see cref="TreeNameBytes"/>.
    /// </summary>
    public IReadOnlyList<string> TreeNames
    {
        get
        {
            WriteSession session = Session();
            return TreeName.List(session.Source, session.Snapshot);
        }
    }

    /// <summary>The names of all trees as bytes, in byte order, including this transaction's changes.</summary>
    public IReadOnlyList<byte[]> TreeNameBytes
    {
        get
        {
            WriteSession session = Session();
            return TreeName.ListBytes(session.Source, session.Snapshot);
        }
    }

    /// <summary>
    /// Commits. When the call returns, the transaction is as durable as <paramref name="mode"/> promises.
    /// </summary>
    /// <param name="mode">What the commit must survive.</param>
    /// <exception cref="CommitOutcomeUnknownException">The journal write failed; reopening the database decides the outcome.</exception>
    /// <exception cref="StorageFullException">Nothing was committed and the transaction is still open; free space and retry.</exception>
    public void Commit(CommitMode mode = CommitMode.Durable)
    {
        CheckMode(mode);
        Ending().Commit(_lease!, _generation, mode);
    }

    /// <summary>
    /// Commits without blocking a thread. When the call returns, the transaction has ended and the next writer may begin. The task
    /// completes when the commit is as durable as the mode promises, or fails with the exceptions of <see cref="Commit"/>. Commits of many
    /// callers share journal writes.
    /// </summary>
    /// <param name="mode">What the commit must survive.</param>
    /// <param name="cancellationToken">
    /// If it is cancelled before the call, nothing is committed and the transaction is still open. Later it has no effect.
    /// </param>
    public ValueTask CommitAsync(CommitMode mode = CommitMode.Durable, CancellationToken cancellationToken = default)
    {
        CheckMode(mode);
        cancellationToken.ThrowIfCancellationRequested();
        return Ending().CommitAsync(_lease!, _generation, mode);
    }

    /// <summary>
    /// The first half of a commit: adds the record to the filling group. <see cref="Engine.Database.Complete"/> is the second half.
    /// </summary>
    internal CommitGroupId Seal(CommitMode mode) => Ending().Seal(_lease!, _generation, mode);

    /// <summary>
    /// Creates a savepoint of the present state, for <see cref="RollbackTo"/>. Savepoints nest; a commit releases the remaining ones.
    /// </summary>
    public Savepoint CreateSavepoint()
    {
        WriteSession session = Session();
        return new Savepoint(session, session.Savepoints.Create(_generation));
    }

    /// <summary>
    /// Undoes all changes since a savepoint. The savepoint remains and can be rolled back to again; later savepoints are discarded. Tree
    /// handles stay valid, except those of trees created since. A transaction that failed after the savepoint becomes usable again.
    /// </summary>
    /// <exception cref="InvalidOperationException">The savepoint is not of this transaction or was released; nothing changed.</exception>
    public void RollbackTo(Savepoint savepoint) => Session(savepoint).Savepoints.RollbackTo(_generation, savepoint.Number);

    /// <summary>Releases a savepoint and all later ones; the changes stay.</summary>
    /// <exception cref="InvalidOperationException">The savepoint is not of this transaction or was released; nothing changed.</exception>
    public void Release(Savepoint savepoint) => Session(savepoint).Savepoints.Release(_generation, savepoint.Number);

    /// <summary>Rolls the transaction back if it was not committed; does nothing if it has ended.</summary>
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

    /// <summary>Returns the session for a call that ends the transaction.</summary>
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
