using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>UnlockFileEx.</summary>
internal static unsafe partial class UnlockCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "UnlockFileEx", SetLastError = true)]
    internal static partial int Invoke(nint handle, uint reserved, uint lowBytes, uint highBytes, FileOffset* at);
}
