using Voron.Storage.IO;
using Voron.Storage.Threads;

namespace Voron.Storage.Versions;

/// <summary>
/// Keeps memory ready for page versions and their blocks, its pages backed, so that the first store into them costs a writer nothing. Its
/// thread exists while it prepares some. If there is no memory now, the writer that needs it asks again and gets the error.
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
        if (_versions.Memory.WantsBlockRegion || _versions.Memory.WantsVersionRegion)
        {
            _worker.Ask();
        }
    }

    public void Dispose() => _worker.Dispose();

    private void Supply()
    {
        VersionMemory memory = _versions.Memory;
        if (memory.WantsBlockRegion && memory.Regions.PrepareBlocks() is { } blocks)
        {
            using (_versions.Gate.Hold())
            {
                memory.Regions.AdoptBlocks(blocks);
            }
        }

        if (memory.WantsVersionRegion)
        {
            AlignedBuffer versions = memory.Regions.PrepareVersions();
            using (_versions.Gate.Hold())
            {
                memory.Regions.AdoptVersions(versions);
            }
        }
    }
}
