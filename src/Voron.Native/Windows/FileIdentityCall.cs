using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>GetFileInformationByHandle.</summary>
internal static unsafe partial class FileIdentityCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "GetFileInformationByHandle", SetLastError = true)]
    internal static partial int Invoke(nint handle, FileIdentity* identity);
}
