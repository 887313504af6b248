using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>Functions of ntdll.dll.</summary>
internal static unsafe partial class NtDll
{
    /// <summary>NtQueryVolumeInformationFile; gives a status of the kernel, no error code.</summary>
    [LibraryImport("ntdll.dll", EntryPoint = "NtQueryVolumeInformationFile")]
    internal static partial int NtQueryVolumeInformationFile(nint handle, nint* outcome, void* answer, uint bytes, int what);

    /// <summary>RtlNtStatusToDosError: the error code for a status of the kernel.</summary>
    [LibraryImport("ntdll.dll", EntryPoint = "RtlNtStatusToDosError")]
    internal static partial uint RtlNtStatusToDosError(int status);
}
