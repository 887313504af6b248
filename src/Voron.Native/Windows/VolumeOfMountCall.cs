using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>GetVolumeNameForVolumeMountPointW: the device of a mount point.</summary>
internal static unsafe partial class VolumeOfMountCall
{
    [LibraryImport(
        Kernel32.Name, EntryPoint = "GetVolumeNameForVolumeMountPointW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    internal static partial int Invoke(string mount, char* volume, uint letters);
}
