using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <summary>
/// Writes batches for commits whose callers do not wait to write them: asynchronous ones at once, lazy ones after a while. Its thread
/// begins with the first such commit and stays: where there was one there are many, and to begin a thread costs more than a commit.
/// </summary>
internal sealed class CommitPump : IDisposable
{
    private readonly Func<bool, bool> _writeWhatIsWanted;
    private readonly TimeSpan _lazyTime;
    private readonly Signal _wake;
    private readonly EngineThread _thread;
    private volatile bool _stop;

    /// <param name="writeWhatIsWanted">
    /// Writes; is told whether lazy records have waited long enough, and returns whether some are left waiting.
    /// </param>
    /// <param name="lazyTime">How long lazy records wait.</param>
    /// <param name="turns">The schedule seam.</param>
    internal CommitPump(Func<bool, bool> writeWhatIsWanted, TimeSpan lazyTime, ITurns? turns)
    {
        _writeWhatIsWanted = writeWhatIsWanted;
        _lazyTime = lazyTime;
        _wake = new Signal(turns);
        _thread = new EngineThread(turns, "Voron commits", givesWay: false, Run);
    }

    /// <summary>Calls come one at a time, under the journal's gate.</summary>
    internal void Ask()
    {
        if (!_thread.TryBegin())
        {
            Platform.Throw.NoThread();
        }

        _wake.Set();
    }

    public void Dispose()
    {
        _stop = true;
        _wake.Set();
        _thread.Join();
        _wake.Dispose();
    }

    private void Run()
    {
        bool doLazyWait = false;
        while (true)
        {
            bool isAsked = _wake.Wait(doLazyWait ? _lazyTime : Timeout.InfiniteTimeSpan);
            if (_stop)
            {
                return;
            }

            doLazyWait = _writeWhatIsWanted(doLazyWait && !isAsked);
        }
    }
}
