using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>GetVolumePathNameW: where the volume of a path is mounted.</summary>
internal static unsafe partial class VolumeNameCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "GetVolumePathNameW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    internal static partial int Invoke(string path, char* volume, uint letters);
}
