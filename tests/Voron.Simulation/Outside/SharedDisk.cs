using Voron.Storage;

namespace Voron.Simulation.Outside;

/// <summary>
/// A simulated disk that several environments use as if each were a process of its own: the lock file has slots. Before each call that
/// changes something, <see cref="Between"/> may let another process run.
/// </summary>
internal sealed class SharedDisk(SimDisk inner) : IDisk
{
    /// <summary>Holders of the slots of the lock file.</summary>
    internal Dictionary<int, SharedFile> Slots { get; } = [];

    /// <summary>The content of the lock file, so that the slots cost no calls of the simulated disk.</summary>
    internal byte[] Words { get; } = new byte[4096];

    /// <summary>Called before a change of a file, with its path; null while nothing else runs.</summary>
    internal Action<string>? Between { get; set; }

    public IoError CreateDirectory(string path) => inner.CreateDirectory(path);

    public IoError OpenFile(string path, FileOpening opening, out IDiskFile? file)
    {
        IoError error = inner.OpenFile(path, opening, out IDiskFile? opened);
        file = opened is null ? null : new SharedFile(opened, this, path.EndsWith("voron.lock", StringComparison.Ordinal));
        return error;
    }

    public IoError Rename(string from, string to)
    {
        Between?.Invoke(from);
        return inner.Rename(from, to);
    }

    public IoError Delete(string path)
    {
        Between?.Invoke(path);
        return inner.Delete(path);
    }

    public IoError ListFiles(string directory, List<string> names) => inner.ListFiles(directory, names);

    public IoError SyncDirectory(string path) => inner.SyncDirectory(path);

    public void FillRandom(Span<byte> destination) => inner.FillRandom(destination);
}
