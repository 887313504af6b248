using System.ComponentModel;
using System.Runtime.CompilerServices;

// The parameters after the token only make the signatures distinct; before it they would prevent overload resolution from choosing them.
#pragma warning disable CA1068

namespace Voron.Storage;

/// <content>
/// Rejects actions of <see cref="WriteAsync(Action{WriteTransaction}, CancellationToken)"/> that return a task. Without these methods an
/// async lambda would compile as an action without a result: the transaction would commit at its first await, and a later exception would
/// end the process.
/// <para>The constraints exclude actions with other results and actions that only throw; the priorities prefer tasks over actions without
/// a result.</para>
/// </content>
public sealed partial class StorageEnvironment
{
    private const string AsyncAction =
        "WriteAsync commits when its action returns, so the action cannot await: what it did after its first await would be lost. Await "
        + "first and pass the result as state; or, to await inside a transaction, use BeginWriteAsync and CommitAsync.";

    /// <summary>Rejects an asynchronous action at compile time: it would otherwise return before its work is done.</summary>
    [Obsolete(AsyncAction, error: true)]
    [EditorBrowsable(EditorBrowsableState.Never)]
    [OverloadResolutionPriority(1)]
    public ValueTask WriteAsync<TTask>(
        Func<WriteTransaction, TTask> action, CancellationToken cancellationToken = default, Task? notAsync = null)
        where TTask : Task => throw new NotSupportedException(AsyncAction);

    /// <inheritdoc cref="WriteAsync{TTask}(Func{WriteTransaction, TTask}, CancellationToken, Task)"/>
    [Obsolete(AsyncAction, error: true)]
    [EditorBrowsable(EditorBrowsableState.Never)]
    public ValueTask WriteAsync<TTask>(
        Func<WriteTransaction, TTask> action, CancellationToken cancellationToken = default, ValueTask notAsync = default)
        where TTask : IEquatable<ValueTask> => throw new NotSupportedException(AsyncAction);

    /// <inheritdoc cref="WriteAsync{TTask}(Func{WriteTransaction, TTask}, CancellationToken, Task)"/>
    [Obsolete(AsyncAction, error: true)]
    [EditorBrowsable(EditorBrowsableState.Never)]
    public ValueTask WriteAsync<TResult>(
        Func<WriteTransaction, ValueTask<TResult>> action, CancellationToken cancellationToken = default) =>
        throw new NotSupportedException(AsyncAction);

    /// <inheritdoc cref="WriteAsync{TTask}(Func{WriteTransaction, TTask}, CancellationToken, Task)"/>
    [Obsolete(AsyncAction, error: true)]
    [EditorBrowsable(EditorBrowsableState.Never)]
    [OverloadResolutionPriority(1)]
    public ValueTask WriteAsync<TState, TTask>(
        Func<WriteTransaction, TState, TTask> action, TState state, CancellationToken cancellationToken = default, Task? notAsync = null)
        where TTask : Task => throw new NotSupportedException(AsyncAction);

    /// <inheritdoc cref="WriteAsync{TTask}(Func{WriteTransaction, TTask}, CancellationToken, Task)"/>
    [Obsolete(AsyncAction, error: true)]
    [EditorBrowsable(EditorBrowsableState.Never)]
    [OverloadResolutionPriority(1)]
    public ValueTask WriteAsync<TState, TTask>(
        Func<WriteTransaction, TState, TTask> action, TState state, CancellationToken cancellationToken = default,
        ValueTask notAsync = default)
        where TTask : IEquatable<ValueTask> => throw new NotSupportedException(AsyncAction);

    /// <inheritdoc cref="WriteAsync{TTask}(Func{WriteTransaction, TTask}, CancellationToken, Task)"/>
    [Obsolete(AsyncAction, error: true)]
    [EditorBrowsable(EditorBrowsableState.Never)]
    public ValueTask WriteAsync<TState, TResult>(
        Func<WriteTransaction, TState, ValueTask<TResult>> action, TState state, CancellationToken cancellationToken = default) =>
        throw new NotSupportedException(AsyncAction);
}
