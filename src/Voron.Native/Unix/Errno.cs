namespace Voron.Native.Unix;

/// <summary>Error codes of Unix, with the numbers of Linux on x64 and arm64. Those of macOS are turned into these.</summary>
public static class Errno
{
    /// <summary>Operation not permitted.</summary>
    public const int PERM = 1;

    /// <summary>No such file or directory.</summary>
    public const int NOENT = 2;

    /// <summary>Interrupted by a signal.</summary>
    public const int INTR = 4;

    /// <summary>Input or output error of the device.</summary>
    public const int IO = 5;

    /// <summary>No such address: past the end of the file.</summary>
    public const int NXIO = 6;

    /// <summary>The descriptor is not open, or not open for this.</summary>
    public const int BADF = 9;

    /// <summary>Try again.</summary>
    public const int AGAIN = 11;

    /// <summary>Out of memory.</summary>
    public const int NOMEM = 12;

    /// <summary>Permission denied.</summary>
    public const int ACCES = 13;

    /// <summary>A bad address: also what the advice to populate memory says of a page that cannot be read.</summary>
    public const int FAULT = 14;

    /// <summary>It exists already.</summary>
    public const int EXIST = 17;

    /// <summary>The two names are in different file systems.</summary>
    public const int XDEV = 18;

    /// <summary>A part of the path is not a directory.</summary>
    public const int NOTDIR = 20;

    /// <summary>It is a directory.</summary>
    public const int ISDIR = 21;

    /// <summary>Invalid argument.</summary>
    public const int INVAL = 22;

    /// <summary>Too many open files in the system.</summary>
    public const int NFILE = 23;

    /// <summary>Too many open files in the process.</summary>
    public const int MFILE = 24;

    /// <summary>The file is a program that is running.</summary>
    public const int TXTBSY = 26;

    /// <summary>The file would be larger than allowed.</summary>
    public const int FBIG = 27;

    /// <summary>No space left on the device.</summary>
    public const int NOSPC = 28;

    /// <summary>The file system is read-only.</summary>
    public const int ROFS = 30;

    /// <summary>The name is too long.</summary>
    public const int NAMETOOLONG = 36;

    /// <summary>The file system has no locks.</summary>
    public const int NOLCK = 37;

    /// <summary>The system knows no such call.</summary>
    public const int NOSYS = 38;

    /// <summary>The directory is not empty.</summary>
    public const int NOTEMPTY = 39;

    /// <summary>Too many symbolic links.</summary>
    public const int LOOP = 40;

    /// <summary>The file system does not do this.</summary>
    public const int OPNOTSUPP = 95;

    /// <summary>The time is over.</summary>
    public const int TIMEDOUT = 110;

    /// <summary>The quota is used up.</summary>
    public const int DQUOT = 122;
}
