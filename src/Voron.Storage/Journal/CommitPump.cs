namespace Voron.Storage.Journal;

/// <summary>
/// Writes batches for asynchronous commits, whose callers do not wait to write them. One thread, begun with the first such commit.
/// </summary>
internal sealed class CommitPump(Action writeWhatIsWanted) : IDisposable
{
    private readonly Lock _startGate = new();
    private readonly AutoResetEvent _wake = new(false);
    private Thread? _thread;
    private volatile bool _stop;

    internal void Ask()
    {
        if (_thread is null)
        {
            Start();
        }

        _wake.Set();
    }

    public void Dispose()
    {
        _stop = true;
        _wake.Set();
        _thread?.Join();
        _wake.Dispose();
    }

    private void Start()
    {
        lock (_startGate)
        {
            if (_thread is null)
            {
                Thread thread = new(Run) { IsBackground = true, Name = "Voron commits" };
                thread.Start();
                _thread = thread;
            }
        }
    }

    private void Run()
    {
        while (true)
        {
            _wake.WaitOne();
            if (_stop)
            {
                return;
            }

            writeWhatIsWanted();
        }
    }
}
