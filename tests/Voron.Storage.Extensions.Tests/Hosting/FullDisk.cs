using Voron.Storage.IO;

namespace Voron.Storage.Extensions.Tests.Hosting;

/// <summary>A disk without room for another file.</summary>
internal sealed class FullDisk : IDisk, IDisposable
{
    private static readonly IoError Full = new(IoErrorKind.DiskFull, 28);

    private readonly MemoryDisk _inner = new();

    public IoError CreateDirectory(string path) => _inner.CreateDirectory(path);

    public IoError OpenFile(string path, FileOpening opening, out IDiskFile? file)
    {
        IoError error = _inner.OpenFile(path, opening & ~FileOpening.Create, out file);
        return error.Kind == IoErrorKind.NotFound && (opening & FileOpening.Create) != 0 ? Full : error;
    }

    public IoError Rename(string from, string to) => Full;

    public IoError Delete(string path) => _inner.Delete(path);

    public IoError ListFiles(string directory, List<string> names) => _inner.ListFiles(directory, names);

    public IoError SyncDirectory(string path) => _inner.SyncDirectory(path);

    public void FillRandom(Span<byte> destination) => _inner.FillRandom(destination);

    public void Dispose() => _inner.Dispose();
}
