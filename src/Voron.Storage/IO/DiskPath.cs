using Voron.Native.Unix;

namespace Voron.Storage.IO;

/// <summary>Validates a path before a disk uses it.</summary>
internal static class DiskPath
{
    internal const int MaxNameBytes = 255;

    internal static IoError Invalid => new(IoErrorKind.InvalidPath, Errno.INVAL);

    /// <summary>
    /// Requires an absolute path, so that a change of the working directory has no effect, without zero characters, which would cut the
    /// name.
    /// </summary>
    internal static bool IsValid(string path) => Path.IsPathFullyQualified(path) && !path.Contains('\0');
}
