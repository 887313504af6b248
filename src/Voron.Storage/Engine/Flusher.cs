using Voron.Storage.Format;
using Voron.Storage.Threads;

namespace Voron.Storage.Engine;

/// <summary>
/// The background thread that runs checkpoints: when the journal or the memory needs one, and once when the database has become idle. Then
/// it also returns memory that readers kept at the last checkpoint, with a few attempts ever later. With nothing to do it ends and costs
/// nothing; only a commit begins it again.
/// </summary>
internal sealed class Flusher : IDisposable
{
    private const int LongestBackOffShift = 5;

    /// <summary>How many times in a row the newest transaction is the same when the database is idle.</summary>
    private const int IdleTimes = 2;

    private const int MostReturns = 5;

    private static readonly TimeSpan Rest = TimeSpan.FromSeconds(2);

    private readonly Action _checkpoint;
    private readonly Func<TransactionId> _newest;
    private readonly Func<TransactionId> _onDisk;
    private readonly IdleMemory? _memory;
    private readonly PendingMerge? _pending;
    private readonly Worker _worker;
    private TransactionId _lastSeen;

    /// <summary>Whether the run that begins returns memory. Written by the thread itself, like the count below.</summary>
    private bool _isReturn;

    /// <summary>Whether the run that begins is one of an idle database.</summary>
    private bool _isIdle;

    /// <summary>Number of attempts to return memory since the last checkpoint.</summary>
    private int _returns;
    private int _timesSame;

    /// <param name="checkpoint">Runs a checkpoint.</param>
    /// <param name="newest">Returns the newest transaction.</param>
    /// <param name="onDisk">Returns the transaction of the last checkpoint.</param>
    /// <param name="report">Gets the error of a failed checkpoint; it is also thrown to writers that wait for that checkpoint.</param>
    /// <param name="memory">The memory to return; null for none.</param>
    /// <param name="pending">What an idle database merges before its checkpoint; null for nothing.</param>
    internal Flusher(
        Action checkpoint,
        Func<TransactionId> newest,
        Func<TransactionId> onDisk,
        Action<Exception> report,
        IdleMemory? memory = null,
        PendingMerge? pending = null)
    {
        _pending = pending;
        _checkpoint = checkpoint;
        _memory = memory;
        _newest = newest;
        _onDisk = onDisk;
        _worker = new Worker("Voron flusher", Work, Watch, report);
        _lastSeen = newest();

        // What a close left pending is merged also where nothing is committed: otherwise every open would replay it.
        if (_lastSeen != onDisk() || pending is { IsDue: true })
        {
            Notice();
        }
    }

    /// <inheritdoc cref="Worker.Trouble"/>
    internal Exception? Trouble => _worker.Trouble;

    /// <inheritdoc cref="Worker.WakeUps"/>
    internal long WakeUps => _worker.WakeUps;

    /// <summary>Whether nothing is left to do: there is no thread until a commit begins one.</summary>
    internal bool IsAsleep => _worker.IsAsleep;

    /// <summary>Asks for a checkpoint now. Commits that ask while one runs ask again after it if its end leaves a reason.</summary>
    internal void Ask() => _worker.Ask();

    /// <summary>Notes a commit: a sleeping flusher begins to watch for idleness.</summary>
    internal void Notice() => _worker.Wake();

    /// <inheritdoc cref="Worker.WaitForRunning"/>
    internal bool WaitForRunning() => _worker.WaitForRunning();

    /// <inheritdoc cref="Worker.AskAndWait"/>
    internal void AskAndWait() => _worker.AskAndWait();

    public void Dispose() => _worker.Dispose();

    private void Work()
    {
        if (_isReturn)
        {
            _isReturn = false;
            _returns++;
            _memory!.GiveBack();
        }
        else
        {
            _returns = 0;
            if (_isIdle)
            {
                _isIdle = false;
                _pending?.RunIdle();
            }

            _checkpoint();
        }
    }

    private TimeSpan? WatchMemory(bool isRested)
    {
        if (_returns == MostReturns || _memory is not { IsHeld: true })
        {
            return null;
        }

        _isReturn = isRested;
        return isRested ? TimeSpan.Zero : Rest * (1 << _returns);
    }

    /// <summary>Runs a checkpoint when nothing was committed for a while; ends the thread when there is nothing to write.</summary>
    private TimeSpan? Watch(bool isRested)
    {
        TransactionId newest = _newest();
        _timesSame = newest == _lastSeen ? _timesSame + 1 : 0;
        _lastSeen = newest;
        if (Trouble is StoragePoisonedException)
        {
            return null;
        }

        if (newest == _onDisk() && _pending is not { IsDue: true })
        {
            return WatchMemory(isRested);
        }

        int backOff = Math.Min(_worker.Failures, LongestBackOffShift);
        _isIdle = isRested && _timesSame >= IdleTimes;
        return _isIdle ? TimeSpan.Zero : Rest * (1 << backOff);
    }
}
