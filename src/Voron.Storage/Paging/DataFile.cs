using Voron.Storage.Platform;

namespace Voron.Storage.Paging;

/// <summary>
/// The data file: written by position through the page cache, read through its map. It never decides what to write; it grows ahead of
/// need in steps of an eighth of its size, and space is allocated and synced before anything depends on it. It is cut when several steps
/// are free at its end.
/// </summary>
internal sealed class DataFile : IDisposable
{
    private const long MinStepBytes = 64 << 10;
    private const long MaxStepBytes = 64 << 20;

    /// <summary>A file that grows and shrinks a little is left alone.</summary>
    private const int StepsBeforeCut = 3;

    private readonly IDiskFile _file;
    private readonly PageBits _punched = new();

    internal DataFile(IDiskFile file, int pageBytes)
    {
        _file = file;
        PageBytes = pageBytes;
        Mapped = new MappedPages(pageBytes, file.Path);
        Platform.Throw.IfFailed(file.GetLength(out long bytes), "read the length of", file.Path);
        MapTo(bytes);
    }

    internal int PageBytes { get; }

    internal MappedPages Mapped { get; }

    internal string Path => _file.Path;

    internal long Bytes { get; private set; }

    /// <summary>Makes the file at least so many pages long; the new space is allocated, durable and mapped when this returns.</summary>
    internal void EnsurePages(long pages)
    {
        long needed = checked(pages * PageBytes);
        if (needed <= Bytes)
        {
            return;
        }

        long target = RoundUp(Math.Max(needed, Bytes + StepFor(Bytes)));
        IoError error = _file.Allocate(target);
        if (error.Kind == IoErrorKind.DiskFull && target > needed)
        {
            // The step is a convenience; only what is needed must fit.
            target = needed;
            error = _file.Allocate(target);
        }

        Platform.Throw.IfFailed(error, "grow", Path, target);
        Sync();
        MapTo(target);
    }

    /// <summary>The length that the file should be cut to when it needs only so many pages; null when it is near enough.</summary>
    internal long? BytesToKeep(long pages)
    {
        long needed = checked(pages * PageBytes);
        long step = StepFor(needed);
        return Bytes - needed > StepsBeforeCut * step ? RoundUp(needed + step) : null;
    }

    /// <summary>
    /// From here on the pages beyond this length are gone for every reader. The caller knows that no snapshot reads them here and that no
    /// header needs them.
    /// </summary>
    internal void HideTail(long bytes)
    {
        Mapped.Shrink(bytes / PageBytes);
        _punched.Remove(bytes / PageBytes, (Bytes - bytes) / PageBytes);
        Bytes = bytes;
    }

    /// <summary>Gives the hidden tail back to the file system. When that fails the file stays longer than it need be.</summary>
    internal void CutTail() => _file.SetLength(Bytes);

    /// <summary>Bytes that were given back to the file system below the end, as far as this life of the environment knows.</summary>
    internal long PunchedBytes => _punched.Count * PageBytes;

    internal bool IsPunched(long page, long count) => _punched.HasAll(page, count);

    /// <summary>
    /// Gives the space of pages back to the file system. The caller knows that no snapshot and no header slot has anything there. False
    /// when the file system cannot: then they stay as they are.
    /// </summary>
    internal bool TryPunch(long page, long count)
    {
        Mapped.Forget(page, count);
        if (_file.Punch(page * PageBytes, count * PageBytes).Failed)
        {
            return false;
        }

        _punched.Add(page, count);
        return true;
    }

    internal void Write(long page, ReadOnlySpan<byte> bytes)
    {
        long offset = page * PageBytes;
        Mapped.Forget(page, bytes.Length / PageBytes);
        _punched.Remove(page, bytes.Length / PageBytes);
        Platform.Throw.IfFailed(_file.Write(offset, bytes), "write", Path, offset);
    }

    /// <summary>Writes a header slot, which is not a page of the map.</summary>
    internal void WriteRaw(long offset, ReadOnlySpan<byte> bytes) =>
        Platform.Throw.IfFailed(_file.Write(offset, bytes), "write", Path, offset);

    internal int ReadRaw(long offset, Span<byte> bytes)
    {
        Platform.Throw.IfFailed(_file.Read(offset, bytes, out int read), "read", Path, offset);
        return read;
    }

    /// <summary>Has the device take what was written to these pages, so that the sync at the end has little to do.</summary>
    internal void WriteOut(long page, long pages)
    {
        long offset = page * PageBytes;
        Platform.Throw.IfFailed(AsFailedSync(_file.WriteOut(offset, pages * PageBytes)), "write out", Path, offset);
    }

    /// <summary>
    /// A sync that finds the disk full has failed like any other: what was written may be lost, and room that comes later does not bring
    /// it back.
    /// </summary>
    internal void Sync()
    {
        int tries = Sabotage.Is(SabotageRule.RetryFailedSync) ? 2 : 1;
        IoError error;
        do
        {
            error = _file.SyncData();
        }
        while (error.Failed && --tries > 0);

        Platform.Throw.IfFailed(AsFailedSync(error), "sync", Path);
    }

    public void Dispose() => _file.Dispose();

    private static IoError AsFailedSync(IoError error) =>
        error.Kind == IoErrorKind.DiskFull ? new IoError(IoErrorKind.Device, error.Code) : error;

    private static long StepFor(long bytes) => Math.Clamp(bytes / 8, MinStepBytes, MaxStepBytes);

    private static long RoundUp(long bytes) => (bytes + MinStepBytes - 1) / MinStepBytes * MinStepBytes;

    private void MapTo(long bytes)
    {
        Bytes = bytes;
        if (bytes == 0)
        {
            return;
        }

        long whole = bytes / PageBytes * PageBytes;
        Platform.Throw.IfFailed(_file.Map(whole, out nint address), "map", Path);
        Mapped.Extend(address, whole);
    }
}
