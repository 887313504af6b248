using Voron.Storage.Format;
using Voron.Storage.Platform;

namespace Voron.Storage.Engine;

/// <summary>
/// The background thread that runs checkpoints: when the journal or the memory asks for one, and once when the database has come to rest.
/// Asleep, it costs nothing.
/// </summary>
internal sealed class Flusher : IDisposable
{
    private static readonly TimeSpan Rest = TimeSpan.FromSeconds(2);

    private readonly Action _checkpoint;
    private readonly Func<TransactionId> _newest;
    private readonly Func<TransactionId> _onDisk;
    private readonly Action<Exception> _report;
    private readonly Signal _wake;
    private readonly Signal _turn;
    private readonly EngineThread _thread;
    private volatile bool _asked;
    private volatile bool _asleep;
    private volatile bool _stop;
    private Exception? _trouble;

    internal Flusher(
        Action checkpoint, Func<TransactionId> newest, Func<TransactionId> onDisk, Action<Exception> report, ITurns? turns)
    {
        _checkpoint = checkpoint;
        _newest = newest;
        _onDisk = onDisk;
        _report = report;
        _wake = new Signal(turns);
        _turn = new Signal(turns);
        _thread = new EngineThread(turns, "Voron flusher", Run);
    }

    /// <summary>Why the last checkpoint failed; null when it did not.</summary>
    internal Exception? Trouble => Volatile.Read(ref _trouble);

    /// <summary>Asks for a checkpoint now.</summary>
    internal void Ask()
    {
        if (!_asked)
        {
            _asked = true;
            _wake.Set();
        }
    }

    /// <summary>Something was committed: a sleeping flusher begins to watch for rest.</summary>
    internal void Notice()
    {
        if (_asleep)
        {
            _asleep = false;
            _wake.Set();
        }
    }

    /// <summary>
    /// Asks for a checkpoint and waits until one that began afterwards, or was running, has ended, well or badly. One caller at a time: it
    /// holds the writer lock.
    /// </summary>
    internal void AskAndWait()
    {
        _turn.Reset();
        Ask();
        _turn.Wait();
    }

    public void Dispose()
    {
        _stop = true;
        _wake.Set();
        if (!_thread.IsCurrent)
        {
            _thread.Join();
        }

        _turn.Set();
        _wake.Dispose();
    }

    private void Run()
    {
        TransactionId lastSeen = _newest();
        while (!_stop)
        {
            if (!_asked)
            {
                // Said before looking: a commit after the look finds the flusher asleep and wakes it.
                _asleep = true;
                Interlocked.MemoryBarrier();
                TransactionId newest = _newest();
                bool pending = newest != _onDisk() && Trouble is null;
                _asleep = !pending;
                bool woken = _wake.Wait(pending ? Rest : Timeout.InfiniteTimeSpan);
                if (_stop || (!_asked && (woken || newest != lastSeen || !pending)))
                {
                    lastSeen = newest;
                    continue;
                }
            }

            _asked = false;
            Checkpoint();
            _turn.Set();
        }

        _turn.Set();
    }

    private void Checkpoint()
    {
        try
        {
            _checkpoint();
            Volatile.Write(ref _trouble, null);
        }
        catch (Exception error)
        {
            // A background thread must not end the process; the trouble is reported, and writers that wait for this checkpoint get it.
            Volatile.Write(ref _trouble, error);
            _report(error);
        }
    }
}
