using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>FindClose.</summary>
internal static partial class FindCloseCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "FindClose", SetLastError = true)]
    internal static partial int Invoke(nint search);
}
