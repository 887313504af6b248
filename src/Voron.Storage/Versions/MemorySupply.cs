using Voron.Storage.Threads;

namespace Voron.Storage.Versions;

/// <summary>
/// Keeps a region of memory ready for page versions, its pages backed, so that the first store into them costs a writer nothing. Its
/// thread exists while it prepares one.
/// </summary>
internal sealed class MemorySupply : IDisposable
{
    private readonly VersionTable _versions;
    private readonly Gate _gate;
    private readonly EngineThread _thread;
    private volatile bool _asked;
    private volatile bool _stop;
    private long _wakeUps;

    internal MemorySupply(VersionTable versions)
    {
        _versions = versions;
        _gate = new Gate();
        _thread = new EngineThread("Voron memory supply", givesWay: true, Run);
    }

    /// <summary>How often a thread was started.</summary>
    internal long WakeUps => Volatile.Read(ref _wakeUps);

    internal void AskIfWanted()
    {
        if (_versions.Memory.WantsRegion && !_asked)
        {
            using (_gate.Hold())
            {
                _asked = !_stop && _thread.TryBegin();
            }
        }
    }

    public void Dispose()
    {
        using (_gate.Hold())
        {
            _stop = true;
        }

        _thread.Join();
    }

    private void Run()
    {
        Volatile.Write(ref _wakeUps, _wakeUps + 1);
        Supply();
        using (_gate.Hold())
        {
            _asked = false;
            _thread.End();
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
            // No memory now: the writer that needs it asks again and gets the error.
        }
        catch (OutOfMemoryException)
        {
            // The same.
        }
    }
}
