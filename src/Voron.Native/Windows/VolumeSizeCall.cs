using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>NtQueryVolumeInformationFile; gives a status of the kernel, no error code.</summary>
internal static unsafe partial class VolumeSizeCall
{
    [LibraryImport("ntdll.dll", EntryPoint = "NtQueryVolumeInformationFile")]
    internal static partial int Invoke(nint handle, nint* outcome, void* answer, uint bytes, int what);
}
