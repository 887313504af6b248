using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>Numbers of the system calls that go through syscall(2).</summary>
internal static class CallNumbers
{
    internal static nint Futex { get; } = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 98 : 202;

    internal static nint Status { get; } = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 291 : 332;
}
