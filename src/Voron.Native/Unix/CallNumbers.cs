using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>Numbers of the system calls that go through syscall(2).</summary>
internal static class CallNumbers
{
    internal static nint Futex { get; } = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 98 : 202;

    internal static nint Status { get; } = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 291 : 332;

    internal static nint QueueSetup { get; } = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 0 : 206;

    internal static nint QueueDestroy { get; } = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 1 : 207;

    internal static nint QueueSubmit { get; } = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 2 : 209;

    internal static nint QueueGetEvents { get; } = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 4 : 208;
}
