using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;

namespace Voron.Native;

/// <summary>Which systems the calls of this assembly exist for: 64-bit Linux on x64 and arm64.</summary>
public static class NativePlatform
{
    /// <summary>True when the calls of this assembly work on the running system.</summary>
    public static bool IsSupported { get; } = OperatingSystem.IsLinux()
        && RuntimeInformation.ProcessArchitecture is Architecture.X64 or Architecture.Arm64;

    /// <summary>The unit in bytes in which the system maps memory: 4096, or up to 65536 on some arm64 kernels.</summary>
    public static int PageBytes { get; } = Environment.SystemPageSize;

    /// <summary>Throws when the running system is not supported.</summary>
    /// <exception cref="PlatformNotSupportedException">The system is not 64-bit Linux on x64 or arm64.</exception>
    public static void Require()
    {
        // The check comes before the first system call: structure layouts and call numbers below are those of these two processors only.
        if (!IsSupported)
        {
            Refuse();
        }
    }

    [DoesNotReturn]
    private static void Refuse() => throw new PlatformNotSupportedException(
        "Voron.Native runs on 64-bit Linux (x64, arm64); this is "
        + $"{RuntimeInformation.OSDescription} on {RuntimeInformation.ProcessArchitecture}.");
}
