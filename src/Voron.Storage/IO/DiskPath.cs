using Voron.Native.Unix;

namespace Voron.Storage.IO;

/// <summary>What every disk asks of a path before it looks at it.</summary>
internal static class DiskPath
{
    internal const int MaxNameBytes = 255;

    internal static IoError Invalid => new(IoErrorKind.InvalidPath, Errno.INVAL);

    /// <summary>
    /// Absolute, so that a change of the working directory never leads elsewhere; without zero characters, which would cut the name
    /// short.
    /// </summary>
    internal static bool IsValid(string path) => Path.IsPathFullyQualified(path) && !path.Contains('\0');
}
