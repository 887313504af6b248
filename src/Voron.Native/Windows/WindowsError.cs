namespace Voron.Native.Windows;

/// <summary>Error codes of Windows (GetLastError).</summary>
public static class WindowsError
{
    /// <summary>The device or file system does not know the request.</summary>
    public const int InvalidFunction = 1;

    /// <summary>No such file.</summary>
    public const int FileNotFound = 2;

    /// <summary>A directory of the path does not exist.</summary>
    public const int PathNotFound = 3;

    /// <summary>Too many open files.</summary>
    public const int TooManyOpenFiles = 4;

    /// <summary>Access denied.</summary>
    public const int AccessDenied = 5;

    /// <summary>The handle is not open.</summary>
    public const int InvalidHandle = 6;

    /// <summary>Out of memory.</summary>
    public const int NotEnoughMemory = 8;

    /// <summary>Out of memory.</summary>
    public const int OutOfMemory = 14;

    /// <summary>No such drive.</summary>
    public const int InvalidDrive = 15;

    /// <summary>The two names are on different volumes.</summary>
    public const int NotSameDevice = 17;

    /// <summary>No more names in the directory.</summary>
    public const int NoMoreFiles = 18;

    /// <summary>The medium is write-protected.</summary>
    public const int WriteProtect = 19;

    /// <summary>The device failed and does not say how.</summary>
    public const int GeneralFailure = 31;

    /// <summary>The file is open elsewhere and not shared.</summary>
    public const int SharingViolation = 32;

    /// <summary>That part of the file is locked elsewhere.</summary>
    public const int LockViolation = 33;

    /// <summary>Past the end of the file.</summary>
    public const int HandleEndOfFile = 38;

    /// <summary>The disk is full.</summary>
    public const int HandleDiskFull = 39;

    /// <summary>The file system does not do this.</summary>
    public const int NotSupported = 50;

    /// <summary>The file exists already.</summary>
    public const int FileExists = 80;

    /// <summary>Invalid argument.</summary>
    public const int InvalidParameter = 87;

    /// <summary>The disk is full.</summary>
    public const int DiskFull = 112;

    /// <summary>The system knows no such call.</summary>
    public const int CallNotImplemented = 120;

    /// <summary>The name is not valid.</summary>
    public const int InvalidName = 123;

    /// <summary>The system knows no such kind of information.</summary>
    public const int InvalidLevel = 124;

    /// <summary>The directory is not empty.</summary>
    public const int DirectoryNotEmpty = 145;

    /// <summary>The path is not valid.</summary>
    public const int BadPathName = 161;

    /// <summary>It exists already.</summary>
    public const int AlreadyExists = 183;

    /// <summary>The name is too long.</summary>
    public const int NameTooLong = 206;

    /// <summary>The file would be larger than allowed.</summary>
    public const int FileTooLarge = 223;

    /// <summary>It is not a directory.</summary>
    public const int NotADirectory = 267;

    /// <summary>The file is being deleted.</summary>
    public const int DeletePending = 303;

    /// <summary>Not for a directory.</summary>
    public const int IsADirectory = 336;

    /// <summary>The address is in use, or none of ours.</summary>
    public const int InvalidAddress = 487;

    /// <summary>What is open is not what has its path any more.</summary>
    public const int FileInvalid = 1006;

    /// <summary>Input or output error of the device.</summary>
    public const int IoDevice = 1117;

    /// <summary>A part of the file is mapped, which forbids this.</summary>
    public const int UserMappedFile = 1224;

    /// <summary>The quota is used up.</summary>
    public const int DiskQuotaExceeded = 1295;

    /// <summary>The system has no resources for this.</summary>
    public const int NoSystemResources = 1450;

    /// <summary>The working set has no room for this.</summary>
    public const int WorkingSetQuota = 1453;

    /// <summary>The page file is used up.</summary>
    public const int CommitmentLimit = 1455;

    /// <summary>The time is over.</summary>
    public const int Timeout = 1460;

    /// <summary>A link that cannot be followed, or leads in a circle.</summary>
    public const int CannotResolveFileName = 1921;
}
