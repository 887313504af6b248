using Voron.Storage.Threads;

namespace Voron.Storage.Commits;

/// <summary>
/// Background writer for groups that no thread waits for: asynchronous commits at once, lazy ones after the lazy window. Its thread starts
/// with the first such commit and stays: more such commits usually follow, and starting a thread costs more than a commit.
/// </summary>
internal sealed class BackgroundCommitter : IDisposable
{
    private readonly Func<bool, bool> _writeWhatIsWanted;
    private readonly TimeSpan _lazyTime;
    private readonly Signal _wake;
    private readonly EngineThread _thread;
    private volatile bool _stop;

    /// <param name="writeWhatIsWanted">
    /// Writes. Its argument says whether lazy records have waited long enough; it returns whether some are still waiting.
    /// </param>
    /// <param name="lazyTime">How long lazy records wait.</param>
    internal BackgroundCommitter(Func<bool, bool> writeWhatIsWanted, TimeSpan lazyTime)
    {
        _writeWhatIsWanted = writeWhatIsWanted;
        _lazyTime = lazyTime;
        _wake = new Signal();
        _thread = new EngineThread("Voron commits", ThreadRank.Ordinary, Run);
    }

    /// <summary>Wakes the pump, starting its thread if needed. The caller holds the journal's gate.</summary>
    internal void Ask()
    {
        if (!_thread.TryBegin())
        {
            Threads.Throw.NoThread();
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
