namespace Voron.Storage.Transactions;

/// <summary>
/// The frame around every call on the write transaction. It admits one caller at a time, and only through handles of the open
/// transaction. A change that fails poisons the transaction: something may be half changed, and only a rollback is allowed from then on.
/// </summary>
internal sealed class SessionFrame
{
    private OneCaller _caller;

    /// <summary>The failure that poisoned the transaction; null while it is usable.</summary>
    private Exception? _poison;

    internal SessionFrame(long generation) => _caller.Leave(generation);

    /// <summary>A value that changes with every use of the transaction.</summary>
    internal uint Uses => _caller.Uses;

    /// <summary>Runs a change, whose arguments were checked before. Compiled for each kind of change, which it so calls directly.</summary>
    internal void Run<TChange>(long generation, scoped ref TChange change)
        where TChange : struct, IChange, allows ref struct
    {
        _caller.Enter(generation);
        try
        {
            change.Run();
        }
        catch (Exception error)
        {
            _poison = error;
            throw;
        }
        finally
        {
            _caller.Leave();
        }
    }

    /// <summary>Enters for a call that changes no page; the end of the scope leaves.</summary>
    internal Scope Hold(long generation)
    {
        _caller.Enter(generation);
        return new Scope(this);
    }

    internal void Enter(long generation) => _caller.Enter(generation);

    /// <summary>Enters; false if the transaction is in use or has ended.</summary>
    internal bool TryEnter(long generation) => _caller.TryEnter(generation);

    internal void Leave() => _caller.Leave();

    /// <summary>Leaves; from then on only handles of this generation can enter.</summary>
    internal void Leave(long generation) => _caller.Leave(generation);

    internal void Poison(Exception error) => _poison = error;

    /// <summary>Makes the transaction usable again: a rollback has undone what the failure left.</summary>
    internal void Heal() => _poison = null;

    internal void CheckUsable()
    {
        if (_poison is not null)
        {
            Throw.Poisoned(_poison);
        }
    }

    /// <summary>A change with its arguments and, once it has run, its result.</summary>
    internal interface IChange
    {
        void Run();
    }

    internal readonly ref struct Scope(SessionFrame frame)
    {
        private readonly SessionFrame _frame = frame;

        public void Dispose() => _frame.Leave();
    }
}
