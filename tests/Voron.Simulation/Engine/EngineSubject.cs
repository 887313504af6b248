using Voron.Simulation.Crashes;
using Voron.Storage;

namespace Voron.Simulation.Engine;

/// <summary>The real engine as the crash tests see it: everything on the calling thread, checkpoints only when asked for.</summary>
internal sealed class EngineSubject(string directory = "/db") : ICrashSubject
{
    internal const int PageBytes = 4096;

    internal const string DataFile = "/db/data.voron";

    public ICrashSession Open(SimDisk disk)
    {
        var options = new StorageOptions
        {
            Storage = disk, Background = false, PageSize = PageBytes, DisposeTimeout = TimeSpan.Zero, TimeProvider = FrozenTime.Instance,
        };
        return new EngineSession(StorageEnvironment.Open(directory, options));
    }
}
