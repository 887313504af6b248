using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>GetFileInformationByHandle.</summary>
internal static unsafe partial class FileIdentityCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "GetFileInformationByHandle", SetLastError = true)]
    internal static partial int Invoke(nint handle, FileIdentity* identity);

    /// <summary>The same for a directory, which no other thread closes meanwhile.</summary>
    [LibraryImport(Kernel32.Name, EntryPoint = "GetFileInformationByHandle", SetLastError = true)]
    internal static partial int OfDirectory(NativeDirectory directory, FileIdentity* identity);
}
