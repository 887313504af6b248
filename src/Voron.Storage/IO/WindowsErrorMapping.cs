using Voron.Native;
using Voron.Native.Windows;

namespace Voron.Storage.IO;

/// <summary>
/// Maps codes of Windows for <see cref="IoErrorMapping"/>. A file that another program holds without sharing is locked, whatever was
/// requested.
/// </summary>
internal static class WindowsErrorMapping
{
    internal static IoError OfPath(NativeResult result) => result.Code switch
    {
        WindowsError.InvalidParameter => new IoError(IoErrorKind.InvalidPath, result.Code),
        _ => OfTransfer(result),
    };

    internal static IoError OfTransfer(NativeResult result) => new(KindOf(result.Code), result.Code);

    internal static IoError OfLock(NativeResult result) => result.Code switch
    {
        WindowsError.InvalidParameter or WindowsError.InvalidFunction => new IoError(IoErrorKind.NotSupported, result.Code),
        _ => OfTransfer(result),
    };

    private static IoErrorKind KindOf(int code) => code switch
    {
        0 => IoErrorKind.None,
        WindowsError.FileNotFound or WindowsError.PathNotFound or WindowsError.InvalidDrive => IoErrorKind.NotFound,
        WindowsError.AlreadyExists or WindowsError.FileExists or WindowsError.DirectoryNotEmpty => IoErrorKind.AlreadyExists,
        WindowsError.AccessDenied or WindowsError.DeletePending => IoErrorKind.AccessDenied,
        WindowsError.WriteProtect => IoErrorKind.ReadOnlyMedia,
        WindowsError.FileInvalid => IoErrorKind.FolderReplaced,
        WindowsError.NotADirectory => IoErrorKind.NotADirectory,
        WindowsError.IsADirectory => IoErrorKind.IsADirectory,
        WindowsError.InvalidName or WindowsError.BadPathName or WindowsError.NameTooLong or WindowsError.CannotResolveFileName
            or WindowsError.NotSameDevice => IoErrorKind.InvalidPath,
        WindowsError.DiskFull or WindowsError.HandleDiskFull or WindowsError.DiskQuotaExceeded or WindowsError.FileTooLarge
            => IoErrorKind.DiskFull,
        WindowsError.SharingViolation or WindowsError.LockViolation => IoErrorKind.Locked,
        WindowsError.NotSupported or WindowsError.CallNotImplemented or WindowsError.InvalidLevel or WindowsError.UserMappedFile
            => IoErrorKind.NotSupported,
        WindowsError.NotEnoughMemory or WindowsError.OutOfMemory or WindowsError.TooManyOpenFiles or WindowsError.NoSystemResources
            or WindowsError.WorkingSetQuota or WindowsError.CommitmentLimit => IoErrorKind.OutOfMemory,
        _ => IoErrorKind.Device,
    };
}
