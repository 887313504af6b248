using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Threads;

namespace Voron.Storage.Versions;

/// <summary>
/// The data file: written by position through the page cache, read through its map. It grows ahead of need in steps of an eighth of its
/// size, and new space is allocated and synced before anything depends on it. It is cut when several steps are free at its end. A
/// checkpoint and the writer may use it at the same time.
/// </summary>
internal sealed class DataFile : IDisposable
{
    private const long MinStepBytes = 64 << 10;
    private const long MaxStepBytes = 64 << 20;

    private const long CutBytes = 2 << 20;

    /// <summary>Free steps that remain, so that a file which grows and shrinks a little is not cut.</summary>
    private const int StepsBeforeCut = 3;

    private readonly IDiskFile _file;
    private readonly FailStop? _failStop;
    private readonly long _memoryBytes;
    private readonly PageBits _punched = new();

    /// <summary>Held while the length or the holes of the file change, and while pages lose the mark that they are verified.</summary>
    private readonly Gate _lengthGate;

    /// <summary>
    /// Serializes syncs: the system reports a failed one once, and another thread that syncs at that moment must not take silence for
    /// success.
    /// </summary>
    private readonly Gate _syncGate;
    private Exception? _syncFailure;
    private long _compactBytes;

    /// <param name="file">The open file.</param>
    /// <param name="pageBytes">Page size of the database.</param>
    /// <param name="failStop">Is poisoned by a failed sync, after which the content of the device is unknown.</param>
    /// <param name="memoryBytes">Memory that the process may use; a file that is larger than half of it is read in another way.</param>
    internal DataFile(IDiskFile file, int pageBytes, FailStop? failStop = null, long memoryBytes = long.MaxValue)
    {
        _memoryBytes = memoryBytes;
        _file = file;
        _failStop = failStop;
        _lengthGate = new Gate();
        _syncGate = new Gate();
        PageBytes = pageBytes;
        Mapped = new MappedPages(pageBytes, file);
        IO.Throw.IfFailed(file.GetLength(out long bytes), "read the length of", file.Path);
        MapTo(bytes);
    }

    internal int PageBytes { get; }

    internal MappedPages Mapped { get; }

    internal string Path => _file.Path;

    internal long Bytes { get; private set; }

    /// <summary>
    /// While the database is compacted: the length that the file keeps even if less is in use; it is cut to that, and not in steps. 0 at
    /// other times.
    /// </summary>
    internal long CompactBytes
    {
        get => Volatile.Read(ref _compactBytes);
        set => Volatile.Write(ref _compactBytes, value);
    }

    /// <summary>What gives up its room if the disk is full.</summary>
    internal SpareRoom SpareRoom { get; init; } = new();

    /// <summary>One past the last page.</summary>
    internal PageNumber EndPage => new(Bytes / PageBytes);

    /// <summary>Makes the file long enough for all pages before this one. New space is allocated, durable and mapped on return.</summary>
    internal void EnsurePages(PageNumber endPage)
    {
        long needed = checked(endPage.Value * PageBytes);
        long before = Bytes;
        if (needed <= before)
        {
            return;
        }

        using (_lengthGate.Hold())
        {
            before = Bytes;
            if (needed > before)
            {
                Grow(needed, before);
            }
        }
    }

    /// <summary>Maps what another process has added to the file.</summary>
    internal void FollowLength()
    {
        using (_lengthGate.Hold())
        {
            IO.Throw.IfFailed(_file.GetLength(out long bytes), "read the length of", Path);
            if (bytes > Bytes)
            {
                MapTo(bytes);
            }
        }
    }

    private void Grow(long needed, long before)
    {
        long target = RoundUp(Math.Max(needed, before + StepFor(before)));
        IoError error = _file.Allocate(target);
        if (error.Kind == IoErrorKind.DiskFull)
        {
            // The step is optional; only what is needed must fit.
            target = needed;
            error = SpareRoom.Allocate(_file, target);
        }

        IO.Throw.IfFailed(error, "grow", Path, target);

        // What is written to new space is synced before an image set or a record names it. But if the length is durable first, no power
        // cut leaves a file that is shorter than an image set says.
        Sync();
        MapTo(target);
    }

    /// <summary>Begins a compaction, which keeps the present length at first; false if one is under way.</summary>
    internal bool TryBeginCompacting() => Interlocked.CompareExchange(ref _compactBytes, Math.Max(1, Bytes), 0) == 0;

    /// <summary>Returns the length to which a file that needs only the pages before this one should be cut; null if it is near.</summary>
    internal long? BytesToKeep(PageNumber endPage)
    {
        long needed = checked(endPage.Value * PageBytes);
        if (CompactBytes is > 0 and var compact)
        {
            long keep = RoundUp(Math.Max(needed, compact));
            return Bytes > keep ? keep : null;
        }

        long step = StepFor(needed);
        return Bytes - needed > StepsBeforeCut * step ? RoundUp(needed + step) : null;
    }

    /// <summary>
    /// Hides the pages beyond this length from readers. The caller knows that no snapshot reads them here and that no header needs them.
    /// </summary>
    internal void HideTail(long bytes)
    {
        using (_lengthGate.Hold())
        {
            Mapped.Shrink(bytes / PageBytes);
            _punched.Remove(new PageNumber(bytes / PageBytes), (Bytes - bytes) / PageBytes);
            Bytes = bytes;
        }
    }

    /// <summary>
    /// Gives the hidden end back to the file system, or a piece of it: while hundreds of megabytes are freed, commits wait for the file
    /// system. Returns whether there is more. If it fails, the file stays longer than necessary.
    /// </summary>
    internal bool CutTail(bool inPieces)
    {
        using (_lengthGate.Hold())
        {
            long target = Bytes;
            if (inPieces && !_file.GetLength(out long length).Failed)
            {
                target = Math.Max(target, length - CutBytes);
            }

            return !_file.SetLength(target).Failed && target > Bytes;
        }
    }

    /// <summary>Bytes below the end that were given back to the file system since the database was opened.</summary>
    internal long PunchedBytes => _punched.Count * PageBytes;

    internal bool IsPunched(PageNumber page, long count)
    {
        using (_lengthGate.Hold())
        {
            return _punched.HasAll(page, count);
        }
    }

    /// <summary>
    /// Gives the space of pages back to the file system. The caller knows that no snapshot and no header slot uses it. False if the file
    /// system cannot; then they stay as they are.
    /// </summary>
    internal bool TryPunch(PageNumber page, long count)
    {
        using (_lengthGate.Hold())
        {
            // A page that is used again is written and loses its mark then. Until then a hole must not count as a verified page.
            Mapped.Forget(page, count);
            if (_file.Punch(page.ByteOffset(PageBytes), count * PageBytes).Failed)
            {
                return false;
            }

            _punched.Add(page, count);
            return true;
        }
    }

    internal void Write(PageNumber page, ReadOnlySpan<byte> bytes)
    {
        long offset = page.ByteOffset(PageBytes);
        using (_lengthGate.Hold())
        {
            Mapped.Forget(page, bytes.Length / PageBytes);
            _punched.Remove(page, bytes.Length / PageBytes);
        }

        IO.Throw.IfFailed(_file.Write(offset, bytes), "write", Path, offset);
    }

    /// <summary>Writes a header slot, which is not a page of the map.</summary>
    internal void WriteRaw(long offset, ReadOnlySpan<byte> bytes) =>
        IO.Throw.IfFailed(_file.Write(offset, bytes), "write", Path, offset);

    /// <summary>Returns how many bytes were read: fewer at the end of the file, and 0 if the device cannot read there.</summary>
    internal int ReadRaw(long offset, Span<byte> bytes)
    {
        IoError error = _file.Read(offset, bytes, out int read);
        IO.Throw.IfFailed(error.IsUnreadable ? IoError.Success : error, "read", Path, offset);
        return error.Failed ? 0 : read;
    }

    /// <summary>Starts writing these pages to the device, so that the sync at the end has little to do.</summary>
    internal void WriteOut(PageNumber page, long pages)
    {
        long offset = page.ByteOffset(PageBytes);
        using (_syncGate.Hold())
        {
            ThrowIfSyncFailed();
            Latch(_file.WriteOut(offset, pages * PageBytes), "write out", offset);
        }
    }

    /// <summary>
    /// Syncs the file. Running out of space is a failure like any other: what was written may be lost, and space that becomes free later
    /// does not restore it.
    /// </summary>
    internal void Sync()
    {
        using (_syncGate.Hold())
        {
            ThrowIfSyncFailed();
            Latch(_file.SyncData(), "sync", -1);
        }
    }

    public void Dispose() => _file.Dispose();

    private static long StepFor(long bytes) => Math.Clamp(bytes / 8, MinStepBytes, MaxStepBytes);

    private static long RoundUp(long bytes) => (bytes + MinStepBytes - 1) / MinStepBytes * MinStepBytes;

    private void ThrowIfSyncFailed()
    {
        if (_syncFailure is not null)
        {
            Throw.SyncedInVain(Path, _syncFailure);
        }
    }

    /// <summary>Remembers a failure that the system reports only once, and throws it.</summary>
    private void Latch(IoError error, string operation, long offset)
    {
        _syncGate.AssertHeld();
        if (error.Failed)
        {
            _syncFailure = IO.Throw.Make(
                error.Kind == IoErrorKind.DiskFull ? new IoError(IoErrorKind.Device, error.Code) : error, operation, Path, offset);
            _failStop?.Poison(_syncFailure);
            throw _syncFailure;
        }
    }

    private void MapTo(long bytes)
    {
        long whole = bytes / PageBytes * PageBytes;
        IO.Throw.IfFailed(_file.Map(whole, out nint address), "map", Path);
        Mapped.Extend(address, whole);
        if (!Mapped.IsCold && whole > _memoryBytes / 2)
        {
            _file.ExpectRandomReads();
            Mapped.BeginColdReads(_memoryBytes);
        }

        // Set last: if the map fails, the next caller that needs the new pages maps them.
        Bytes = bytes;
    }
}
