using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Voron.Native.Unix;
using Voron.Native.Windows;

namespace Voron.Native;

/// <summary>
/// Which systems the calls of this assembly exist for: 64-bit Linux, Windows and macOS on x64 and arm64. Each system has a folder of its
/// own, Linux that with all that macOS shares with it; which one is used is decided at the doors of this assembly, by a question that the
/// compiler of the runtime answers. The documentation says on which of them anything was ever run.
/// </summary>
public static class NativePlatform
{
    /// <summary>True when the calls of this assembly are those of the running system.</summary>
    public static bool IsSupported { get; } = (OperatingSystem.IsLinux() || OperatingSystem.IsWindows() || OperatingSystem.IsMacOS())
        && RuntimeInformation.ProcessArchitecture is Architecture.X64 or Architecture.Arm64;

    /// <summary>
    /// The unit in bytes in which the system gives memory: 4096; 16384 on some arm64 systems, up to 65536 on some arm64 kernels of Linux.
    /// </summary>
    public static int PageBytes { get; } = Environment.SystemPageSize;

    /// <summary>What a call says that was asked for something behind the end of the file.</summary>
    internal static NativeResult PastEndOfFile => new(OperatingSystem.IsWindows() ? WindowsError.HandleEndOfFile : Errno.NXIO);

    /// <summary>What a call says that the system does not have.</summary>
    internal static NativeResult NoSuchCall => new(OperatingSystem.IsWindows() ? WindowsError.NotSupported : Errno.NOSYS);

    /// <summary>The code for a call that failed and did not say why.</summary>
    internal static int UnknownFailure => OperatingSystem.IsWindows() ? WindowsError.GeneralFailure : Errno.IO;

    /// <summary>Throws when the running system is not supported.</summary>
    /// <exception cref="PlatformNotSupportedException">The system is not one of those above.</exception>
    public static void Require()
    {
        // The check comes before the first system call: structure layouts and call numbers below are those of these systems only.
        if (!IsSupported)
        {
            Refuse();
        }
    }

    [DoesNotReturn]
    private static void Refuse() => throw new PlatformNotSupportedException(
        "Voron.Native runs on 64-bit Linux, Windows and macOS (x64, arm64); this is "
        + $"{RuntimeInformation.OSDescription} on {RuntimeInformation.ProcessArchitecture}.");
}
