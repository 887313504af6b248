using Voron.Native;
using Voron.Native.Unix;

namespace Voron.Storage.IO;

/// <summary>Maps codes of Unix for <see cref="IoErrorMapping"/>.</summary>
internal static class UnixErrorMapping
{
    internal static IoError OfPath(NativeResult result) => result.Code switch
    {
        Errno.INVAL or Errno.NAMETOOLONG or Errno.LOOP or Errno.XDEV => new IoError(IoErrorKind.InvalidPath, result.Code),
        _ => OfTransfer(result),
    };

    internal static IoError OfTransfer(NativeResult result) => new(KindOf(result.Code), result.Code);

    internal static IoError OfLock(NativeResult result) => result.Code switch
    {
        Errno.AGAIN or Errno.ACCES => new IoError(IoErrorKind.Locked, result.Code),
        Errno.INVAL or Errno.NOLCK => new IoError(IoErrorKind.NotSupported, result.Code),
        _ => OfTransfer(result),
    };

    private static IoErrorKind KindOf(int code) => code switch
    {
        0 => IoErrorKind.None,
        Errno.NOENT => IoErrorKind.NotFound,
        Errno.EXIST or Errno.NOTEMPTY => IoErrorKind.AlreadyExists,

        // A bad descriptor is one not open for this access, such as a write to a read-only file: closed ones never reach the system.
        Errno.ACCES or Errno.PERM or Errno.TXTBSY or Errno.BADF => IoErrorKind.AccessDenied,
        Errno.ROFS => IoErrorKind.ReadOnlyMedia,
        Errno.NOTDIR => IoErrorKind.NotADirectory,
        Errno.ISDIR => IoErrorKind.IsADirectory,
        Errno.NAMETOOLONG or Errno.LOOP => IoErrorKind.InvalidPath,
        Errno.NOSPC or Errno.DQUOT or Errno.FBIG => IoErrorKind.DiskFull,
        Errno.OPNOTSUPP or Errno.NOSYS => IoErrorKind.NotSupported,
        Errno.NOMEM or Errno.MFILE or Errno.NFILE => IoErrorKind.OutOfMemory,
        _ => IoErrorKind.Device,
    };
}
