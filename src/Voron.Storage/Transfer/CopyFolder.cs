using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.IO;

namespace Voron.Storage.Transfer;

/// <summary>
/// The folder of a copy. Until the copy is complete and durable its files are in a folder of another name beside it, so that a process
/// that is killed meanwhile leaves nothing that looks like the database. The next copy removes what is left there.
/// </summary>
internal sealed class CopyFolder(Func<IDisk> makeDisk, string folder, string suffix = ".copying")
{    private readonly string _folder = Path.TrimEndingDirectorySeparator(folder);

    /// <summary>Where the copy is made.</summary>
    internal DatabasePaths Work => new(_folder + suffix);

    /// <summary>
    /// Refuses a target that has files, and removes what a killed copy has left. The lock shows whether one still runs.
    /// </summary>
    internal void Prepare()
    {
        IDisk disk = makeDisk();
        List<string> names = [];
        IoError listed = disk.ListFiles(_folder, names);
        IO.Throw.IfFailed(listed.Kind == IoErrorKind.NotFound ? IoError.Success : listed, "list", _folder);
        if (names.Count > 0)
        {
            Throw.OccupiedTarget(_folder);
        }

        IO.Throw.IfFailed(disk.CreateDirectory(Work.Directory), "create", Work.Directory);
        using (DatabaseLock.Acquire(disk, Work, create: true))
        {
            Empty(disk);
        }
    }

    /// <summary>Gives the complete copy its name.</summary>
    internal void Publish()
    {
        // The environment that made the copy had its folders open; a disk of its own finds them by their paths.
        IDisk disk = makeDisk();
        IO.Throw.IfFailed(disk.SyncDirectory(Work.Directory), "sync", Work.Directory);
        IO.Throw.IfFailed(disk.Rename(Work.Directory, _folder), "rename", Work.Directory);
        if (Path.GetDirectoryName(_folder) is { } parent)
        {
            IoError synced = disk.SyncDirectory(parent);
            IO.Throw.IfFailed(synced.Kind == IoErrorKind.AccessDenied ? IoError.Success : synced, "sync", parent);
        }
    }

    /// <summary>Removes the files of a copy that failed, as far as they can be removed.</summary>
    internal void Discard() => Empty(makeDisk());

    /// <summary>Deletes the data file first: without it no other file is taken for a part of a database.</summary>
    private void Empty(IDisk disk)
    {
        disk.Delete(Work.DataFile);
        disk.Delete(Work.NewDataFile);
        disk.Delete(Work.Spill);
        disk.Delete(Work.Follower);
        List<string> names = [];
        disk.ListFiles(Work.Journal, names);
        foreach (string name in names.Where(IsChunk))
        {
            disk.Delete(Path.Combine(Work.Journal, name));
        }
    }

    private static bool IsChunk(string name) => name.EndsWith(FormatConstants.CommitChunkSuffix, StringComparison.Ordinal)
        || name.EndsWith(FormatConstants.PageChunkSuffix, StringComparison.Ordinal)
        || name.EndsWith(FormatConstants.SpareChunkSuffix, StringComparison.Ordinal);
}
