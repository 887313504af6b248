using Voron.Storage.Format;

namespace Voron.Storage.IO;

/// <summary>Full paths of a database's files, resolved once when it is opened.</summary>
internal readonly record struct DatabasePaths(string Directory)
{
    internal string DataFile => Path.Combine(Directory, FormatConstants.DataFileName);

    internal string NewDataFile => Path.Combine(Directory, FormatConstants.NewDataFileName);

    internal string LockFile => Path.Combine(Directory, FormatConstants.LockFileName);

    internal string Follower => Path.Combine(Directory, FormatConstants.FollowerFileName);

    internal string Spill => Path.Combine(Directory, FormatConstants.SpillFileName);

    internal string Journal => Path.Combine(Directory, FormatConstants.JournalDirectoryName);
}
