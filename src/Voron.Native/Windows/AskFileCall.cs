using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>GetFileInformationByHandleEx.</summary>
internal static unsafe partial class AskFileCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "GetFileInformationByHandleEx", SetLastError = true)]
    internal static partial int Invoke(nint handle, int what, void* answer, uint bytes);
}
