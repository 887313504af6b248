using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>GetVolumeInformationByHandleW, of which the name of the file system is asked.</summary>
internal static unsafe partial class FileSystemCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "GetVolumeInformationByHandleW", SetLastError = true)]
    internal static partial int Invoke(
        nint handle, nint label, uint labelLetters, nint serial, nint component, nint flags, char* system, uint letters);
}
