using Voron.Native;

namespace Voron.Storage.IO;

/// <summary>
/// Maps error codes of the operating system to kinds. A code can mean different things for a call on a name, a transfer and a lock, so
/// there are three methods.
/// </summary>
internal static class IoErrorMapping
{
    /// <summary>For calls that take a path.</summary>
    internal static IoError OfPath(NativeResult result) =>
        OperatingSystem.IsWindows() ? WindowsErrorMapping.OfPath(result) : UnixErrorMapping.OfPath(result);

    /// <summary>
    /// For calls on an open file. An invalid argument does not mean an invalid path here: the device has an unexpected requirement.
    /// </summary>
    internal static IoError OfTransfer(NativeResult result) =>
        OperatingSystem.IsWindows() ? WindowsErrorMapping.OfTransfer(result) : UnixErrorMapping.OfTransfer(result);

    /// <summary>For taking a lock.</summary>
    internal static IoError OfLock(NativeResult result) =>
        OperatingSystem.IsWindows() ? WindowsErrorMapping.OfLock(result) : UnixErrorMapping.OfLock(result);
}
