using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <summary>
/// Writes batches for asynchronous commits, whose callers do not wait to write them. One thread, begun with the first such commit.
/// </summary>
internal sealed class CommitPump(Action writeWhatIsWanted, ITurns? turns) : IDisposable
{
    private readonly Signal _wake = new(turns);
    private EngineThread? _thread;
    private volatile bool _stop;

    /// <summary>Calls come one at a time, under the journal's gate.</summary>
    internal void Ask()
    {
        _thread ??= new EngineThread(turns, "Voron commits", Run);
        _wake.Set();
    }

    public void Dispose()
    {
        _stop = true;
        _wake.Set();
        _thread?.Join();
        _wake.Dispose();
    }

    private void Run()
    {
        while (true)
        {
            _wake.Wait();
            if (_stop)
            {
                return;
            }

            writeWhatIsWanted();
        }
    }
}
