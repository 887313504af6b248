using Voron.Native;

namespace Voron.Storage.IO;

/// <summary>The file systems of the operating system, as one environment uses them.</summary>
internal sealed class NativeDisk : IDisk
{
    /// <summary>
    /// Directories that are held open. Replaced when one is added, never changed, because threads read it at any time. A closed directory
    /// stays in it, so that a late call fails; by its path it could reach another database.
    /// </summary>
    private volatile NativeDirectory[] _held = [];

    public IoError CreateDirectory(string path)
    {
        if (!DiskPath.IsValid(path))
        {
            return DiskPath.Invalid;
        }

        IoError created = Create(path);
        string? parent = Path.GetDirectoryName(Path.TrimEndingDirectorySeparator(path));
        if (created.Kind == IoErrorKind.NotFound && parent is not null)
        {
            IoError above = CreateDirectory(parent);
            if (above.Failed)
            {
                return above;
            }

            created = Create(path);
        }

        if (created.Kind == IoErrorKind.AlreadyExists)
        {
            return IoErrorMapping.OfPath(DirectoryOf(path, out string name).Check(name));
        }

        return created.Failed || parent is null ? created : MakeNameDurable(parent);
    }

    public IoError HoldDirectory(string path, out IDisposable? held)
    {
        held = null;
        if (!DiskPath.IsValid(path))
        {
            return DiskPath.Invalid;
        }

        string trimmed = Path.TrimEndingDirectorySeparator(path);
        IoError opened = IoErrorMapping.OfPath(DirectoryOf(trimmed, out string name).Open(name, out NativeDirectory? directory));
        if (directory is not null)
        {
            _held = [.. _held, directory];
            held = directory;
        }

        return opened;
    }

    public IoError OpenFile(string path, FileOpening opening, out IDiskFile? file)
    {
        file = null;
        if (!DiskPath.IsValid(path))
        {
            return DiskPath.Invalid;
        }

        NativeDirectory directory = DirectoryOf(path, out string name);
        NativeResult opened = NativeFile.Open(directory, name, OptionsOf(opening), out NativeFile? native);
        if (native is not null && opening.HasFlag(FileOpening.Temporary))
        {
            // Nothing was written between the two calls: a name left by a killed process leads to an empty file, which the next one uses.
            opened = directory.Delete(name);
            if (opened.Failed)
            {
                native.Dispose();
                native = null;
            }
        }

        if (native is not null)
        {
            file = new NativeDiskFile(native, opening, () => OpenDirect(path));
        }

        return IoErrorMapping.OfPath(opened);
    }

    private NativeFile? OpenDirect(string path)
    {
        const NativeFileOptions Direct = NativeFileOptions.ReadOnly | NativeFileOptions.Direct;
        return NativeFile.Open(DirectoryOf(path, out string name), name, Direct, out NativeFile? file).Failed ? null : file;
    }

    public IoError Rename(string from, string to)
    {
        if (!DiskPath.IsValid(from) || !DiskPath.IsValid(to))
        {
            return DiskPath.Invalid;
        }

        NativeDirectory source = DirectoryOf(from, out string present);
        return IoErrorMapping.OfPath(source.Rename(present, DirectoryOf(to, out string wanted), wanted));
    }

    public IoError Delete(string path) =>
        DiskPath.IsValid(path) ? IoErrorMapping.OfPath(DirectoryOf(path, out string name).Delete(name)) : DiskPath.Invalid;

    public IoError ListFiles(string directory, List<string> names) => In(directory, found => found.ListFiles(names));

    public IoError SyncDirectory(string path) => In(path, static found => found.Sync());

    /// <summary>Number of links of a file; for a directory it counts its subdirectories and means nothing.</summary>
    public string? FindDoubt(string path)
    {
        if (FindHeld(path) is { } held)
        {
            return held.Query(out NativeFileFacts below).Failed ? null : DurabilityDoubt.Of(below with { Links = 1 });
        }

        NativeResult opened = NativeFile.Open(DirectoryOf(path, out string name), name, NativeFileOptions.ReadOnly, out NativeFile? file);
        using (file)
        {
            return opened.Failed || file!.Query(out NativeFileFacts facts).Failed ? null : DurabilityDoubt.Of(facts);
        }
    }

    public int CachePageBytes => NativePlatform.PageBytes;

    /// <summary>Creates a queue for overlapped writes; some sandboxes have none, and the number of all in the system is limited.</summary>
    public IWriteInFlight CreateWriteInFlight() =>
        NativeWriteInFlight.Create(out NativeWriteInFlight? write).Failed ? new WriteAtOnce() : new NativeWrite(write!);

    public void FillRandom(Span<byte> destination) => NativeRandom.Fill(destination);

    private IoError Create(string path) => IoErrorMapping.OfPath(DirectoryOf(path, out string name).Create(name));

    /// <summary>
    /// Syncs the parents of a new directory: only this call knows which of them were missing. A parent that cannot be read cannot be
    /// opened for a sync; that is no reason to refuse the directory.
    /// </summary>
    private IoError MakeNameDurable(string parent)
    {
        IoError synced = SyncDirectory(parent);
        return synced.Kind == IoErrorKind.AccessDenied ? IoError.Success : synced;
    }

    /// <summary>Returns the held directory that directly contains a path, and the name in it; otherwise the path itself.</summary>
    private NativeDirectory DirectoryOf(string path, out string name)
    {
        ReadOnlySpan<char> trimmed = Path.TrimEndingDirectorySeparator(path.AsSpan());
        if (FindHeld(Path.GetDirectoryName(trimmed)) is { } directory)
        {
            name = Path.GetFileName(trimmed).ToString();
            return directory;
        }

        name = path;
        return NativeDirectory.Working;
    }

    private NativeDirectory? FindHeld(ReadOnlySpan<char> path)
    {
        NativeDirectory? found = null;
        foreach (NativeDirectory directory in _held)
        {
            found = path.SequenceEqual(directory.Path) ? directory : found;
        }

        return found;
    }

    /// <summary>Runs an action on a directory that is held, or is opened for it by its path.</summary>
    private IoError In(string path, Func<NativeDirectory, NativeResult> act)
    {
        if (!DiskPath.IsValid(path))
        {
            return DiskPath.Invalid;
        }

        string trimmed = Path.TrimEndingDirectorySeparator(path);
        if (FindHeld(trimmed) is { } held)
        {
            return IoErrorMapping.OfPath(act(held));
        }

        NativeResult opened = DirectoryOf(trimmed, out string name).Open(name, out NativeDirectory? found);
        using (found)
        {
            return IoErrorMapping.OfPath(opened.Failed ? opened : act(found!));
        }
    }

    private static NativeFileOptions OptionsOf(FileOpening opening) =>
        ((opening & (FileOpening.Create | FileOpening.Temporary)) != 0 ? NativeFileOptions.Create : 0)
        | (opening.HasFlag(FileOpening.ReadOnly) ? NativeFileOptions.ReadOnly : 0)
        | (opening.HasFlag(FileOpening.Unbuffered) ? NativeFileOptions.Direct : 0)
        | (opening.HasFlag(FileOpening.WriteThrough) ? NativeFileOptions.DataSync : 0);
}
