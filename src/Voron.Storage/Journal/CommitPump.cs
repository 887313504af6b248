using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <summary>
/// Writes batches for commits whose callers do not wait to write them: asynchronous ones at once, lazy ones after a while. One thread,
/// begun
/// with the first such commit.
/// </summary>
/// <param name="writeWhatIsWanted">
/// Writes; is told whether lazy records have waited long enough, and returns whether some are left waiting.
/// </param>
/// <param name="lazyTime">How long lazy records wait.</param>
/// <param name="turns">The schedule seam.</param>
internal sealed class CommitPump(Func<bool, bool> writeWhatIsWanted, TimeSpan lazyTime, ITurns? turns) : IDisposable
{
    private readonly Signal _wake = new(turns);
    private EngineThread? _thread;
    private volatile bool _stop;

    /// <summary>Calls come one at a time, under the journal's gate.</summary>
    internal void Ask()
    {
        _thread ??= new EngineThread(turns, "Voron commits", givesWay: false, Run);
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
        bool doLazyWait = false;
        while (true)
        {
            bool isAsked = _wake.Wait(doLazyWait ? lazyTime : Timeout.InfiniteTimeSpan);
            if (_stop)
            {
                return;
            }

            doLazyWait = writeWhatIsWanted(doLazyWait && !isAsked);
        }
    }
}
