using Voron.Storage.Paging;
using Voron.Storage.Platform;

namespace Voron.Storage.Engine;

/// <summary>
/// Keeps a region of memory ready for page versions, its pages already backed, so that the first store into them costs a writer nothing.
/// </summary>
internal sealed class MemorySupply : IDisposable
{
    private readonly VersionTable _versions;
    private readonly Signal _wake;
    private readonly EngineThread _thread;
    private volatile bool _asked;
    private volatile bool _stop;
    private long _wakeUps;

    internal MemorySupply(VersionTable versions)
    {
        _versions = versions;
        _wake = new Signal(versions.Turns);
        _thread = new EngineThread(versions.Turns, "Voron memory supply", givesWay: true, Run);
    }

    /// <summary>How often the thread has gone on after waiting.</summary>
    internal long WakeUps => Volatile.Read(ref _wakeUps);

    internal void AskIfWanted()
    {
        if (_versions.Memory.WantsRegion && !_asked)
        {
            _asked = true;
            _wake.Set();
        }
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
        while (true)
        {
            _wake.Wait();
            Volatile.Write(ref _wakeUps, _wakeUps + 1);
            if (_stop)
            {
                return;
            }

            Supply();
            _asked = false;
        }
    }

    private void Supply()
    {
        try
        {
            if (_versions.Memory.PrepareRegion() is { } region)
            {
                using (_versions.Gate.Hold())
                {
                    _versions.Memory.Adopt(region);
                }
            }
        }
        catch (StorageException)
        {
            // No memory now: the writer that needs it asks again and gets the fault.
        }
        catch (OutOfMemoryException)
        {
            // The same.
        }
    }
}
