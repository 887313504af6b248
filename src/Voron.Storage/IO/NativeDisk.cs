using Voron.Native;

namespace Voron.Storage.IO;

/// <summary>The file systems of the operating system, seen by one environment.</summary>
internal sealed class NativeDisk : IDisk
{
    /// <summary>
    /// Replaced when a directory is held, never changed: the engine's threads read it at any time. One that is closed stays here, so that
    /// a late call fails; by its path it could reach another database.
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
            // Between the two calls nothing was written: a name left over by a kill leads to an empty file, which the next one takes.
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

    /// <summary>A directory has a link for each of its own in it, which is nothing to tell.</summary>
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

    /// <summary>Some sandboxes have no such queues, and the number of all in the system has a limit.</summary>
    public IWriteInFlight CreateWriteInFlight() =>
        NativeWriteInFlight.Create(out NativeWriteInFlight? write).Failed ? new WriteAtOnce() : new NativeWrite(write!);

    public void FillRandom(Span<byte> destination) => NativeRandom.Fill(destination);

    private IoError Create(string path) => IoErrorMapping.OfPath(DirectoryOf(path, out string name).Create(name));

    /// <summary>
    /// Only this call knows which parents were missing, so no other call could sync the names it made. A parent that may be entered but not
    /// read cannot be opened for a sync; that is no reason to refuse the directory.
    /// </summary>
    private IoError MakeNameDurable(string parent)
    {
        IoError synced = SyncDirectory(parent);
        return synced.Kind == IoErrorKind.AccessDenied ? IoError.Success : synced;
    }

    /// <summary>The held directory that a path is directly in, and the name there; else the path as it is.</summary>
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

    /// <summary>Does something with a directory that is held, or is opened for it by its path.</summary>
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
