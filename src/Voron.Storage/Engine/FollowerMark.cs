using System.Runtime.InteropServices;
using Voron.Storage.Format;
using Voron.Storage.IO;

namespace Voron.Storage.Engine;

/// <summary>
/// The file that makes a database a follower: the id of its source, and a checksum. A follower takes transactions from there only, with
/// their numbers.
/// </summary>
internal static class FollowerMark
{
    private const int Words = 3;

    /// <summary>The source of a follower; null if the database is none.</summary>
    internal static DatabaseId? Read(IDisk disk, DatabasePaths paths)
    {
        IoError opened = disk.OpenFile(paths.Follower, FileOpening.ReadOnly, out IDiskFile? file);
        if (opened.Kind == IoErrorKind.NotFound)
        {
            return null;
        }

        IO.Throw.IfFailed(opened, "open", paths.Follower);
        using (file)
        {
            Span<ulong> words = stackalloc ulong[Words];
            IO.Throw.IfFailed(file!.Read(0, MemoryMarshal.AsBytes(words), out int read), "read", paths.Follower, 0);
            if (read < words.Length * sizeof(ulong) || words[0] != Checksum.Compute(MemoryMarshal.AsBytes(words[1..])))
            {
                Throw.BadFollowerMark(paths.Follower);
            }

            return new DatabaseId(words[1], words[2]);
        }
    }

    /// <summary>Makes a database a follower; durable on return.</summary>
    internal static void Write(IDisk disk, DatabasePaths paths, DatabaseId source)
    {
        Span<ulong> words = [0, source.Low, source.High];
        words[0] = Checksum.Compute(MemoryMarshal.AsBytes(words[1..]));
        string made = paths.Follower + ".new";
        IO.Throw.IfFailed(disk.OpenFile(made, FileOpening.Create, out IDiskFile? file), "create", made);
        using (file)
        {
            IO.Throw.IfFailed(file!.Write(0, MemoryMarshal.AsBytes(words)), "write", made, 0);
            IO.Throw.IfFailed(file.SyncData(), "sync", made);
        }

        IO.Throw.IfFailed(disk.Rename(made, paths.Follower), "rename", made);
        IO.Throw.IfFailed(disk.SyncDirectory(paths.Directory), "sync", paths.Directory);
    }

    /// <summary>Makes it a database of its own; durable on return. An earlier attempt may have removed the file already.</summary>
    internal static void Delete(IDisk disk, DatabasePaths paths)
    {
        IoError deleted = disk.Delete(paths.Follower);
        if (deleted.Kind != IoErrorKind.NotFound)
        {
            IO.Throw.IfFailed(deleted, "delete", paths.Follower);
        }

        IO.Throw.IfFailed(disk.SyncDirectory(paths.Directory), "sync", paths.Directory);
    }
}
