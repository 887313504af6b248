using Voron.Storage;

namespace Voron.Simulation.Faults;

/// <summary>
/// A simulated disk behind a door that knows which call site of the engine each call comes from, and lets one of them fail.
/// </summary>
internal sealed class SiteDisk(SimDisk disk, SiteWatch watch) : IDisk
{
    internal SimDisk Inner { get; } = disk;

    public IoError CreateDirectory(string path) => watch.Call(nameof(CreateDirectory), () => Inner.CreateDirectory(path));

    public IoError OpenFile(string path, FileOpening opening, out IDiskFile? file)
    {
        IDiskFile? opened = null;
        IoError error = watch.Call(nameof(OpenFile), () => Inner.OpenFile(path, opening, out opened));
        file = opened is null ? null : new SiteFile(opened, watch);
        return error;
    }

    public IoError Rename(string from, string to) => watch.Call(nameof(Rename), () => Inner.Rename(from, to));

    public IoError Delete(string path) => watch.Call(nameof(Delete), () => Inner.Delete(path));

    public IoError ListFiles(string directory, List<string> names) =>
        watch.Call(nameof(ListFiles), () => Inner.ListFiles(directory, names));

    public IoError SyncDirectory(string path) => watch.Call(nameof(SyncDirectory), () => Inner.SyncDirectory(path));

    public void FillRandom(Span<byte> destination) => Inner.FillRandom(destination);
}
