using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>SetFileInformationByHandle: length, allocation, disposition.</summary>
internal static unsafe partial class SetFileCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "SetFileInformationByHandle", SetLastError = true)]
    internal static partial int Invoke(nint handle, int what, void* value, uint bytes);
}
