using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>
/// Functions of the C library. Each returns −1 (or null) and sets errno if it fails, unless its manual page says otherwise.
/// </summary>
internal static unsafe partial class LibC
{
    /// <summary>Name of the library; the runtime resolves it to the versioned file name of the system.</summary>
    internal const string Name = "libc";

    /// <summary>close(2). Linux frees the descriptor even when it reports EINTR, so it is never called twice.</summary>
    [LibraryImport(Name, EntryPoint = "close", SetLastError = true)]
    internal static partial int Close(int descriptor);

    /// <summary>closedir(3).</summary>
    [LibraryImport(Name, EntryPoint = "closedir", SetLastError = true)]
    internal static partial int Closedir(nint directory);

    /// <summary>fallocate(2).</summary>
    [LibraryImport(Name, EntryPoint = "fallocate", SetLastError = true)]
    internal static partial int Fallocate(int descriptor, int mode, long offset, long length);

    /// <summary>fcntl(2). The argument is variadic in C; both processors pass it like a named one.</summary>
    [LibraryImport(Name, EntryPoint = "fcntl", SetLastError = true)]
    internal static partial int Fcntl(int descriptor, int command, nint argument);

    /// <summary>fdatasync(2): content and what is needed to read it back, the length included.</summary>
    [LibraryImport(Name, EntryPoint = "fdatasync", SetLastError = true)]
    internal static partial int Fdatasync(int descriptor);

    /// <summary>fdopendir(3): the stream owns the descriptor when the call succeeds.</summary>
    [LibraryImport(Name, EntryPoint = "fdopendir", SetLastError = true)]
    internal static partial nint Fdopendir(int descriptor);

    /// <summary>fstatfs(2).</summary>
    [LibraryImport(Name, EntryPoint = "fstatfs", SetLastError = true)]
    internal static partial int Fstatfs(int descriptor, FileSystemStatus* status);

    /// <summary>fsync(2), used for directories.</summary>
    [LibraryImport(Name, EntryPoint = "fsync", SetLastError = true)]
    internal static partial int Fsync(NativeDirectory directory);

    /// <summary>ftruncate(2).</summary>
    [LibraryImport(Name, EntryPoint = "ftruncate", SetLastError = true)]
    internal static partial int Ftruncate(int descriptor, long length);

    /// <summary>futex(2). The C library has no function for it, so it goes through syscall(2).</summary>
    [LibraryImport(Name, EntryPoint = "syscall", SetLastError = true)]
    internal static partial nint Futex(nint number, int* word, nint operation, nint value, TimeInterval* timeout, nint word2, nint value3);

    /// <summary>getentropy(3), which Linux (getrandom(2) below it) and macOS have alike; up to 256 bytes, all or none.</summary>
    [LibraryImport(Name, EntryPoint = "getentropy", SetLastError = true)]
    internal static partial int Getentropy(byte* destination, nuint bytes);

    // io_setup(2), io_destroy(2), io_submit(2) and io_getevents(2): the C library has no functions for them.

    internal static nint IoSetup(uint requests, nint* queue) => IoSetup(CallNumbers.Here.QueueSetup, (nint)requests, queue);

    internal static nint IoDestroy(nint queue) => IoDestroy(CallNumbers.Here.QueueDestroy, queue);

    internal static nint IoSubmit(nint queue, QueueRequest** requests) => IoSubmit(CallNumbers.Here.QueueSubmit, queue, 1, requests);

    /// <summary>Waits for one event without a limit.</summary>
    internal static nint IoGetEvent(nint queue, QueueEvent* events) => IoGetEvents(CallNumbers.Here.QueueGetEvents, queue, 1, 1, events, 0);

    [LibraryImport(Name, EntryPoint = "syscall", SetLastError = true)]
    private static partial nint IoSetup(nint number, nint requests, nint* queue);

    [LibraryImport(Name, EntryPoint = "syscall", SetLastError = true)]
    private static partial nint IoDestroy(nint number, nint queue);

    [LibraryImport(Name, EntryPoint = "syscall", SetLastError = true)]
    private static partial nint IoSubmit(nint number, nint queue, nint count, QueueRequest** requests);

    [LibraryImport(Name, EntryPoint = "syscall", SetLastError = true)]
    private static partial nint IoGetEvents(nint number, nint queue, nint least, nint most, QueueEvent* events, nint timeout);

    /// <summary>lseek(2), used only to ask for the length: no transfer here uses the file position.</summary>
    [LibraryImport(Name, EntryPoint = "lseek", SetLastError = true)]
    internal static partial long Lseek(int descriptor, long offset, int whence);

    /// <summary>madvise(2).</summary>
    [LibraryImport(Name, EntryPoint = "madvise", SetLastError = true)]
    internal static partial int Madvise(nint address, nuint length, int advice);

    /// <summary>mincore(2).</summary>
    [LibraryImport(Name, EntryPoint = "mincore", SetLastError = true)]
    internal static partial int Mincore(nint address, nuint length, Span<byte> pages);

    /// <summary>mkdirat(2).</summary>
    [LibraryImport(Name, EntryPoint = "mkdirat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int Mkdirat(NativeDirectory directory, string path, uint mode);

    /// <summary>mmap(2).</summary>
    [LibraryImport(Name, EntryPoint = "mmap", SetLastError = true)]
    internal static partial nint Mmap(nint address, nuint length, int protection, int flags, int descriptor, long offset);

    /// <summary>mprotect(2).</summary>
    [LibraryImport(Name, EntryPoint = "mprotect", SetLastError = true)]
    internal static partial int Mprotect(nint address, nuint length, int protection);

    /// <summary>munmap(2).</summary>
    [LibraryImport(Name, EntryPoint = "munmap", SetLastError = true)]
    internal static partial int Munmap(nint address, nuint length);

    /// <summary>openat(2). The mode is variadic in C; both processors pass it like a named argument.</summary>
    [LibraryImport(Name, EntryPoint = "openat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int Openat(NativeDirectory directory, string path, int flags, uint mode);

    /// <summary>POSIX_FADV_DONTNEED: clean pages that are not mapped leave the cache.</summary>
    internal const int DoNotNeed = 4;

    /// <summary>posix_fadvise(3). A length of 0 is the rest of the file.</summary>
    [LibraryImport(Name, EntryPoint = "posix_fadvise")]
    internal static partial int PosixFadvise(int descriptor, long offset, long bytes, int advice);

    /// <summary>pread(2).</summary>
    [LibraryImport(Name, EntryPoint = "pread", SetLastError = true)]
    internal static partial nint Pread(int descriptor, byte* buffer, nuint count, long offset);

    /// <summary>pwrite(2).</summary>
    [LibraryImport(Name, EntryPoint = "pwrite", SetLastError = true)]
    internal static partial nint Pwrite(int descriptor, byte* buffer, nuint count, long offset);

    /// <summary>readdir(3). Null is the end or an error; the two differ by errno, which is cleared before the call.</summary>
    [LibraryImport(Name, EntryPoint = "readdir", SetLastError = true)]
    internal static partial DirectoryEntry* Readdir(nint directory);

    /// <summary>renameat(2).</summary>
    [LibraryImport(Name, EntryPoint = "renameat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int Renameat(NativeDirectory source, string from, NativeDirectory target, string to);

    [LibraryImport(Name, EntryPoint = "syscall", SetLastError = true)]
    internal static partial nint SchedGetAttr(nint number, nint thread, ScheduleAttributes* attributes, nint sizeBytes, nint flags);

    [LibraryImport(Name, EntryPoint = "syscall", SetLastError = true)]
    internal static partial nint SchedSetAttr(nint number, nint thread, ScheduleAttributes* attributes, nint flags);

    /// <summary>statx(2), through syscall(2): older C libraries lack the function while the kernel has the call.</summary>
    [LibraryImport(Name, EntryPoint = "syscall", SetLastError = true)]
    internal static partial nint Statx(nint number, nint directory, byte* path, nint flags, nint mask, FileStatus* status);

    /// <summary>SYNC_FILE_RANGE_WAIT_BEFORE, _WRITE and _WAIT_AFTER.</summary>
    internal const uint WriteAndWait = 1 | 2 | 4;

    /// <summary>
    /// sync_file_range(2): hands dirty pages of a range to the device and waits for it. Neither metadata nor the device's cache.
    /// </summary>
    [LibraryImport(Name, EntryPoint = "sync_file_range", SetLastError = true)]
    internal static partial int SyncFileRange(int descriptor, long offset, long bytes, uint flags);

    /// <summary>unlinkat(2); without flags it removes files only.</summary>
    [LibraryImport(Name, EntryPoint = "unlinkat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int Unlinkat(NativeDirectory directory, string path, int flags);
}
