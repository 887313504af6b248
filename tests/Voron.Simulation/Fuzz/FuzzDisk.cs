using Voron.Storage;

namespace Voron.Simulation.Fuzz;

/// <summary>
/// A disk in memory that is made anew for every trial in microseconds: files share an image's bytes until they are written, nothing is
/// lost, nothing is kept of what is durable. One thread uses it. What <see cref="SimDisk"/> knows of crashes is not needed here.
/// </summary>
internal sealed class FuzzDisk : IDisk
{
    internal const int SystemPageBytes = 4096;

    /// <summary>As if the disk were full; files of the corpus are far below.</summary>
    internal const long MostFileBytes = 32L << 20;

    private const int NotFound = 2;

    private readonly Dictionary<string, FuzzContent> _files = new(StringComparer.Ordinal);
    private readonly HashSet<string> _directories = new(StringComparer.Ordinal) { string.Empty };
    private readonly SimRandom _random;

    internal FuzzDisk(FuzzImage image, ulong seed)
    {
        _random = new SimRandom(seed);
        foreach ((string path, byte[] bytes) in image.Files)
        {
            MakeDirectories(SimPath.Parent(path));
            _files.Add(path, new FuzzContent(bytes));
        }
    }

    /// <summary>Files that are still open; after every trial none may be.</summary>
    internal int OpenFileCount { get; private set; }

    public IoError CreateDirectory(string path)
    {
        MakeDirectories(path);
        return IoError.Success;
    }

    public IoError OpenFile(string path, FileOpening opening, out IDiskFile? file)
    {
        file = null;
        FuzzContent? content = _files.GetValueOrDefault(path);
        if (opening.HasFlag(FileOpening.Temporary))
        {
            content = new FuzzContent([]);
        }
        else if (content is null)
        {
            if (!opening.HasFlag(FileOpening.Create) || !_directories.Contains(SimPath.Parent(path)))
            {
                return new IoError(IoErrorKind.NotFound, NotFound);
            }

            content = _files[path] = new FuzzContent([]);
        }

        content.Opened();
        OpenFileCount++;
        file = new FuzzFile(this, content, path, opening);
        return IoError.Success;
    }

    public IoError Rename(string from, string to)
    {
        if (!_files.Remove(from, out FuzzContent? content))
        {
            return new IoError(IoErrorKind.NotFound, NotFound);
        }

        _files[to] = content;
        return IoError.Success;
    }

    public IoError Delete(string path) =>
        _files.Remove(path) ? IoError.Success : new IoError(IoErrorKind.NotFound, NotFound);

    public IoError ListFiles(string directory, List<string> names)
    {
        if (!_directories.Contains(directory))
        {
            return new IoError(IoErrorKind.NotFound, NotFound);
        }

        names.AddRange(_files.Keys.Where(path => SimPath.Parent(path) == directory).Select(static path => Path.GetFileName(path)));
        return IoError.Success;
    }

    public IoError SyncDirectory(string path) => IoError.Success;

    public void FillRandom(Span<byte> destination) => _random.Fill(destination);

    internal void Closed() => OpenFileCount--;

    private void MakeDirectories(string path)
    {
        for (; _directories.Add(path); path = SimPath.Parent(path))
        {
        }
    }
}
