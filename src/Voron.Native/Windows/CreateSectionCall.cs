using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>CreateFileMappingW: a section as long as the file when no size is given.</summary>
internal static partial class CreateSectionCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "CreateFileMappingW", SetLastError = true)]
    internal static partial nint Invoke(nint handle, nint security, uint protection, uint highBytes, uint lowBytes, nint name);
}
