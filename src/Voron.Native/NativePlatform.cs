using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Voron.Native.Unix;
using Voron.Native.Windows;

namespace Voron.Native;

/// <summary>
/// The systems that this assembly supports: 64-bit Linux, Windows and macOS on x64 and arm64. Each system has a folder of its own; that of
/// Linux includes everything that it shares with macOS. The entry points of this assembly choose the system with a check that the JIT
/// compiler resolves. The documentation says which of these systems the assembly has been run on.
/// </summary>
public static class NativePlatform
{
    /// <summary>True if the running system is supported.</summary>
    public static bool IsSupported { get; } = (OperatingSystem.IsLinux() || OperatingSystem.IsWindows() || OperatingSystem.IsMacOS())
        && RuntimeInformation.ProcessArchitecture is Architecture.X64 or Architecture.Arm64;

    /// <summary>The system's page size in bytes: 4096; 16384 on some arm64 systems, up to 65536 on some arm64 kernels of Linux.</summary>
    public static int PageBytes { get; } = Environment.SystemPageSize;

    /// <summary>The error for a request past the end of the file.</summary>
    internal static NativeResult PastEndOfFile => new(OperatingSystem.IsWindows() ? WindowsError.HandleEndOfFile : Errno.NXIO);

    /// <summary>The error for a call that the system does not have.</summary>
    internal static NativeResult NoSuchCall => new(OperatingSystem.IsWindows() ? WindowsError.NotSupported : Errno.NOSYS);

    /// <summary>The code for a call that failed without an error code.</summary>
    internal static int UnknownFailure => OperatingSystem.IsWindows() ? WindowsError.GeneralFailure : Errno.IO;

    /// <summary>Throws if the running system is not supported.</summary>
    /// <exception cref="PlatformNotSupportedException">The system is not 64-bit Linux, Windows or macOS on x64 or arm64.</exception>
    public static void Require()
    {
        // Check before the first system call: the structure layouts and call numbers used are valid for these systems only.
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
