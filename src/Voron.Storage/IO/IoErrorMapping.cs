using Voron.Native;

namespace Voron.Storage.IO;

/// <summary>
/// Turns the operating system's codes into kinds. One code can mean different things to a call on a name, a transfer and a lock, hence
/// three ways in.
/// </summary>
internal static class IoErrorMapping
{
    /// <summary>For calls that take a path.</summary>
    internal static IoError OfPath(NativeResult result) =>
        OperatingSystem.IsWindows() ? WindowsErrorMapping.OfPath(result) : UnixErrorMapping.OfPath(result);

    /// <summary>
    /// For calls on an open file. An invalid argument is here no fault of the path: the device wants something that was not foreseen.
    /// </summary>
    internal static IoError OfTransfer(NativeResult result) =>
        OperatingSystem.IsWindows() ? WindowsErrorMapping.OfTransfer(result) : UnixErrorMapping.OfTransfer(result);

    /// <summary>For taking a lock.</summary>
    internal static IoError OfLock(NativeResult result) =>
        OperatingSystem.IsWindows() ? WindowsErrorMapping.OfLock(result) : UnixErrorMapping.OfLock(result);
}
