using Voron.Storage.Threads;

namespace Voron.Storage.Versions;

/// <summary>
/// Keeps a region of memory ready for page versions, its pages backed, so that the first store into them costs a writer nothing. Its
/// thread exists while it prepares one. If there is no memory now, the writer that needs it asks again and gets the error.
/// </summary>
internal sealed class MemorySupply : IDisposable
{
    private readonly VersionTable _versions;
    private readonly Worker _worker;

    internal MemorySupply(VersionTable versions)
    {
        _versions = versions;
        _worker = new Worker("Voron memory supply", Supply);
    }

    /// <inheritdoc cref="Worker.WakeUps"/>
    internal long WakeUps => _worker.WakeUps;

    internal void AskIfWanted()
    {
        if (_versions.Memory.WantsRegion)
        {
            _worker.Ask();
        }
    }

    public void Dispose() => _worker.Dispose();

    private void Supply()
    {
        if (_versions.Memory.PrepareRegion() is { } region)
        {
            using (_versions.Gate.Hold())
            {
                _versions.Memory.Adopt(region);
            }
        }
    }
}
