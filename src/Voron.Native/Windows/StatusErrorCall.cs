using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>RtlNtStatusToDosError: the error code for a status of the kernel.</summary>
internal static partial class StatusErrorCall
{
    [LibraryImport("ntdll.dll", EntryPoint = "RtlNtStatusToDosError")]
    internal static partial uint Invoke(int status);
}
