using System.Security.Cryptography;
using Voron.Native;

namespace Voron.Storage.Platform;

/// <summary>The file systems of the operating system.</summary>
internal sealed class NativeDisk : IDisk
{
    public IoError CreateDirectory(string path)
    {
        if (!DiskPath.IsValid(path))
        {
            return DiskPath.Invalid;
        }

        IoError created = IoErrorMapping.OfPath(NativeDirectory.Create(path));
        string? parent = Path.GetDirectoryName(Path.TrimEndingDirectorySeparator(path));
        if (created.Kind == IoErrorKind.NotFound && parent is not null)
        {
            IoError above = CreateDirectory(parent);
            if (above.Failed)
            {
                return above;
            }

            created = IoErrorMapping.OfPath(NativeDirectory.Create(path));
        }

        if (created.Kind == IoErrorKind.AlreadyExists)
        {
            return IoErrorMapping.OfPath(NativeDirectory.Check(path));
        }

        return created.Failed || parent is null ? created : MakeNameDurable(parent);
    }

    public IoError OpenFile(string path, FileOpening opening, out IDiskFile? file)
    {
        file = null;
        if (!DiskPath.IsValid(path))
        {
            return DiskPath.Invalid;
        }

        NativeResult opened = NativeFile.Open(path, OptionsOf(opening), out NativeFile? native);
        if (native is not null && opening.HasFlag(FileOpening.Temporary))
        {
            // Between the two calls nothing was written: a name left over by a kill leads to an empty file, which the next one takes.
            opened = NativeDirectory.Delete(path);
            if (opened.Failed)
            {
                native.Dispose();
                native = null;
            }
        }

        if (native is not null)
        {
            file = new NativeDiskFile(native, opening);
        }

        return IoErrorMapping.OfPath(opened);
    }

    public IoError Rename(string from, string to) =>
        DiskPath.IsValid(from) && DiskPath.IsValid(to) ? IoErrorMapping.OfPath(NativeDirectory.Rename(from, to)) : DiskPath.Invalid;

    public IoError Delete(string path) =>
        DiskPath.IsValid(path) ? IoErrorMapping.OfPath(NativeDirectory.Delete(path)) : DiskPath.Invalid;

    public IoError ListFiles(string directory, List<string> names) =>
        DiskPath.IsValid(directory) ? IoErrorMapping.OfPath(NativeDirectory.ListFiles(directory, names)) : DiskPath.Invalid;

    public IoError SyncDirectory(string path) =>
        DiskPath.IsValid(path) ? IoErrorMapping.OfPath(NativeDirectory.Sync(path)) : DiskPath.Invalid;

    /// <summary>Some sandboxes have no such queues, and the number of all in the system has a limit.</summary>
    public IWriteInFlight CreateWriteInFlight() =>
        NativeWriteInFlight.Create(out NativeWriteInFlight? write).Failed ? new WriteAtOnce() : new NativeWrite(write!);

    public void FillRandom(Span<byte> destination) => RandomNumberGenerator.Fill(destination);

    /// <summary>
    /// Only this call knows which parents were missing, so nobody else could sync the names it made. A parent that may be entered but not
    /// read cannot be opened for a sync; that is no reason to refuse the directory.
    /// </summary>
    private static IoError MakeNameDurable(string parent)
    {
        IoError synced = IoErrorMapping.OfPath(NativeDirectory.Sync(parent));
        return synced.Kind == IoErrorKind.AccessDenied ? IoError.Success : synced;
    }

    private static NativeFileOptions OptionsOf(FileOpening opening) =>
        ((opening & (FileOpening.Create | FileOpening.Temporary)) != 0 ? NativeFileOptions.Create : 0)
        | (opening.HasFlag(FileOpening.ReadOnly) ? NativeFileOptions.ReadOnly : 0)
        | (opening.HasFlag(FileOpening.Unbuffered) ? NativeFileOptions.Direct : 0)
        | (opening.HasFlag(FileOpening.WriteThrough) ? NativeFileOptions.DataSync : 0);
}
