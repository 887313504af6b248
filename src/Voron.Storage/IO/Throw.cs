using System.Diagnostics.CodeAnalysis;

namespace Voron.Storage.IO;

/// <summary>The exceptions of disk access: a failed disk call becomes the exception that the public contract names.</summary>
internal static class Throw
{
    internal static void IfFailed(IoError error, string operation, string path, long offset = -1)
    {
        if (error.Failed)
        {
            Failed(error, operation, path, offset);
        }
    }

    /// <summary>The answer of <see cref="IDiskFile.ForgetCached"/>.</summary>
    internal static void IfStillCached(long offset, string path)
    {
        if (offset >= 0)
        {
            throw new StorageIOException(
                $"The system's cache shows bytes of '{path}' at offset {offset} that never reached the device, because a write failed, and "
                + "it cannot let go of them: another process has the file mapped. Nothing was changed; end that process, such as a backup "
                + "or a scanner, and open the database again.",
                "read",
                path,
                0);
        }
    }

    [DoesNotReturn]
    internal static void Failed(IoError error, string operation, string path, long offset = -1) =>
        throw Make(error, operation, path, offset);

    [DoesNotReturn]
    internal static void Misaligned(long offset, int length, string path) => throw new ArgumentException(
        $"An unbuffered transfer must have offset, length and address in multiples of 4096: offset {offset}, length {length}, '{path}'.");

    [DoesNotReturn]
    internal static void BufferDisposed() => throw new ObjectDisposedException(nameof(AlignedBuffer), "The buffer was disposed.");

    [DoesNotReturn]
    internal static void Closed(string path) => throw new ObjectDisposedException(nameof(IDiskFile), $"The file '{path}' is closed.");

    [DoesNotReturn]
    internal static void DiskGone() =>
        throw new ObjectDisposedException(nameof(MemoryDisk), "The memory disk was disposed, and all its files with it.");

    [DoesNotReturn]
    internal static void NotAllocated(nint address) =>
        throw new InvalidOperationException($"The memory at {address:x} was freed before, or was never allocated.");

    [DoesNotReturn]
    internal static void OutOfMemory(long bytes, int code) => throw new InsufficientMemoryException(
        $"The system has no {bytes} bytes of memory left (code {code}). Nothing was changed by this request; free memory and try again.");

    internal static StorageException Make(IoError error, string operation, string path, long offset = -1)
    {
        string at = offset >= 0 ? $" at offset {offset}" : string.Empty;
        string what = $"Could not {operation} '{path}'{at}";
        return error.Kind switch
        {
            IoErrorKind.DiskFull => new StorageFullException($"{what}: the disk is full (code {error.Code}). Make room and try again."),
            IoErrorKind.Locked => new StorageLockedException(
                $"'{path}' is in use by another environment of this or another process. "
                + "Close that one first; a database is open only once at a time."),
            _ => new StorageIOException($"{what}: {Advice(error.Kind)} (code {error.Code}).", operation, path, error.Code),
        };
    }

    private static string Advice(IoErrorKind kind) => kind switch
    {
        IoErrorKind.NotFound => "it does not exist; check the path",
        IoErrorKind.AlreadyExists => "it exists already",
        IoErrorKind.AccessDenied => "permission denied; give the process read and write access to the folder and its files",
        IoErrorKind.ReadOnlyMedia =>
            "the file system is read-only; open the database with StorageOptions.ReadOnly, or choose a writable place",
        IoErrorKind.NotADirectory => "a part of the path is a file, not a folder; choose another path",
        IoErrorKind.IsADirectory => "it is a folder, not a file; choose another path",
        IoErrorKind.InvalidPath => "the path is not valid or too long; choose another path",
        IoErrorKind.NotSupported => "the file system does not support it; choose a local file system",
        IoErrorKind.FolderReplaced => "another folder has the path of the open database; close it, and open it again where it is now",
        IoErrorKind.OutOfMemory => "the system is out of memory or of open files",
        _ => "the device reported an error; check the disk, then reopen the database",
    };
}
