using System.Text;
using Voron.Native;
using Voron.Native.Unix;

namespace Voron.Storage.IO;

/// <summary>
/// A file system in memory, with the semantics of a real one: a rename replaces its target, a deleted file exists while it is open, locks
/// belong to the open file, maps show every write. Syncs do nothing. Dispose frees the memory of all files, including open ones.
/// </summary>
internal sealed class MemoryDisk : IDisk, IDisposable
{
    private readonly Lock _lock = new();
    private readonly HashSet<string> _directories = new(StringComparer.Ordinal);
    private readonly Dictionary<string, MemoryContent> _files = new(StringComparer.Ordinal);
    private readonly HashSet<MemoryContent> _contents = [];
    private bool _disposed;

    public IoError CreateDirectory(string path)
    {
        lock (_lock)
        {
            return Resolve(path, out string name) is { Failed: true } invalid ? invalid : CreateDirectories(name);
        }
    }

    public IoError OpenFile(string path, FileOpening opening, out IDiskFile? file)
    {
        file = null;
        lock (_lock)
        {
            IoError found = Resolve(path, out string name);
            if (!found.Failed)
            {
                found = LookUp(name, out MemoryContent? present);
                bool isTemporary = opening.HasFlag(FileOpening.Temporary);
                if (found.Kind == IoErrorKind.NotFound && (isTemporary || opening.HasFlag(FileOpening.Create)))
                {
                    found = CheckParent(name);
                    present = found.Failed ? null : Create(name);
                }

                if (present is not null)
                {
                    present.Uses++;
                    file = new MemoryDiskFile(this, present, path, opening);
                    if (isTemporary)
                    {
                        _files.Remove(name);
                        DropUse(present);
                    }
                }
            }

            return found;
        }
    }

    public IoError Rename(string from, string to)
    {
        lock (_lock)
        {
            if (Resolve(from, out string source) is { Failed: true } invalidSource)
            {
                return invalidSource;
            }

            if (Resolve(to, out string target) is { Failed: true } invalidTarget)
            {
                return invalidTarget;
            }

            IoError found = LookUp(source, out MemoryContent? content);
            if (content is null)
            {
                return found;
            }

            IoError free = LookUp(target, out MemoryContent? replaced);
            if (free.Kind == IoErrorKind.NotFound)
            {
                free = CheckParent(target);
            }

            if (free.Failed || content == replaced)
            {
                return free;
            }

            _files.Remove(source);
            _files[target] = content;
            if (replaced is not null)
            {
                DropUse(replaced);
            }

            return IoError.Success;
        }
    }

    public IoError Delete(string path)
    {
        lock (_lock)
        {
            IoError found = Resolve(path, out string name);
            if (!found.Failed)
            {
                found = LookUp(name, out MemoryContent? content);
                if (content is not null)
                {
                    _files.Remove(name);
                    DropUse(content);
                }
            }

            return found;
        }
    }

    public IoError ListFiles(string directory, List<string> names)
    {
        lock (_lock)
        {
            IoError found = FindDirectory(directory, out string parent);
            if (!found.Failed)
            {
                foreach (string file in _files.Keys)
                {
                    if (string.Equals(Path.GetDirectoryName(file), parent, StringComparison.Ordinal))
                    {
                        names.Add(Path.GetFileName(file));
                    }
                }
            }

            return found;
        }
    }

    public IoError SyncDirectory(string path)
    {
        lock (_lock)
        {
            return FindDirectory(path, out _);
        }
    }

    public void FillRandom(Span<byte> destination) => NativeRandom.Fill(destination);

    public void Dispose()
    {
        lock (_lock)
        {
            _disposed = true;
            foreach (MemoryContent content in _contents)
            {
                content.Release();
            }

            _contents.Clear();
            _files.Clear();
        }
    }

    /// <summary>Notes that an open file was disposed.</summary>
    internal void Close(MemoryDiskFile file, MemoryContent content)
    {
        content.ReleaseLock(file);
        lock (_lock)
        {
            DropUse(content);
        }
    }

    private IoError Resolve(string path, out string name)
    {
        if (_disposed)
        {
            Throw.DiskGone();
        }

        name = string.Empty;
        if (!Path.IsPathRooted(path) || path.Contains('\0'))
        {
            return DiskPath.Invalid;
        }

        name = Path.TrimEndingDirectorySeparator(Path.GetFullPath(path));
        foreach (string part in name.Split(Path.DirectorySeparatorChar))
        {
            if (Encoding.UTF8.GetByteCount(part) > DiskPath.MaxNameBytes)
            {
                return new IoError(IoErrorKind.InvalidPath, Errno.NAMETOOLONG);
            }
        }

        return IoError.Success;
    }

    private IoError LookUp(string name, out MemoryContent? content)
    {
        if (_files.TryGetValue(name, out content))
        {
            return IoError.Success;
        }

        if (IsDirectory(name))
        {
            return new IoError(IoErrorKind.IsADirectory, Errno.ISDIR);
        }

        IoError parent = CheckParent(name);
        return parent.Failed ? parent : new IoError(IoErrorKind.NotFound, Errno.NOENT);
    }

    private IoError CheckParent(string name) => CheckDirectory(Path.GetDirectoryName(name) ?? name);

    private IoError CheckDirectory(string name)
    {
        for (string? part = name; part is not null; part = Path.GetDirectoryName(part))
        {
            if (_files.ContainsKey(part))
            {
                return new IoError(IoErrorKind.NotADirectory, Errno.NOTDIR);
            }
        }

        return IsDirectory(name) ? IoError.Success : new IoError(IoErrorKind.NotFound, Errno.NOENT);
    }

    private bool IsDirectory(string name) => _directories.Contains(name) || Path.GetDirectoryName(name) is null;

    private IoError FindDirectory(string path, out string name)
    {
        IoError resolved = Resolve(path, out name);
        return resolved.Failed ? resolved : CheckDirectory(name);
    }

    private IoError CreateDirectories(string name)
    {
        IoError present = CheckDirectory(name);
        if (present.Kind != IoErrorKind.NotFound)
        {
            return present;
        }

        for (string? part = name; part is not null; part = Path.GetDirectoryName(part))
        {
            _directories.Add(part);
        }

        return IoError.Success;
    }

    private MemoryContent Create(string name)
    {
        MemoryContent content = new() { Uses = 1 };
        _files.Add(name, content);
        _contents.Add(content);
        return content;
    }

    private void DropUse(MemoryContent content)
    {
        content.Uses--;
        if (content.Uses == 0 && _contents.Remove(content))
        {
            content.Release();
        }
    }
}
