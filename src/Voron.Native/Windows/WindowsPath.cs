namespace Voron.Native.Windows;

/// <summary>Paths as the system takes them, and what a refused one means.</summary>
internal static class WindowsPath
{
    private const int MaxNameLetters = 255;
    private const string Verbatim = @"\\?\";

    /// <summary>
    /// The path in the form that has no limit of 260 letters. What the ordinary form would have changed (slashes, parts like "..") is
    /// changed here.
    /// </summary>
    internal static string ToSystem(string path)
    {
        string full = Path.TrimEndingDirectorySeparator(Path.GetFullPath(path));
        if (full.StartsWith(Verbatim, StringComparison.Ordinal) || full.StartsWith(@"\\.\", StringComparison.Ordinal))
        {
            return full;
        }

        // A drive alone is its current directory; with the separator it is its root.
        return full.StartsWith(@"\\", StringComparison.Ordinal) ? string.Concat(Verbatim, @"UNC\", full.AsSpan(2))
            : full.EndsWith(':') ? $@"{Verbatim}{full}\"
            : Verbatim + full;
    }

    /// <summary>
    /// The system says "denied" for a directory where a file is wanted, and "not found" for a file where a directory is wanted or for a
    /// name that is too long for any file. Failed calls are looked into here, so that their users need not guess.
    /// </summary>
    internal static NativeResult Explain(string systemPath, NativeResult result) => result.Code switch
    {
        WindowsError.FileNotFound or WindowsError.PathNotFound when HasLongName(systemPath) => new NativeResult(WindowsError.NameTooLong),
        WindowsError.AccessDenied when IsDirectory(systemPath) => new NativeResult(WindowsError.IsADirectory),
        WindowsError.PathNotFound or WindowsError.InvalidName when IsBelowFile(systemPath) => new NativeResult(WindowsError.NotADirectory),
        _ => result,
    };

    internal static bool IsDirectory(string systemPath) =>
        Kernel32.GetFileAttributes(systemPath) is uint found and not OpenRights.NoAttributes
        && (found & OpenRights.DirectoryAttribute) != 0;

    private static bool HasLongName(string systemPath)
    {
        foreach (Range part in systemPath.AsSpan().Split(Path.DirectorySeparatorChar))
        {
            if (systemPath.AsSpan()[part].Length > MaxNameLetters)
            {
                return true;
            }
        }

        return false;
    }

    private static bool IsBelowFile(string systemPath)
    {
        for (string? part = Path.GetDirectoryName(systemPath); part is not null; part = Path.GetDirectoryName(part))
        {
            uint found = Kernel32.GetFileAttributes(part);
            if (found != OpenRights.NoAttributes)
            {
                return (found & OpenRights.DirectoryAttribute) == 0;
            }
        }

        return false;
    }
}
