using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>LockFileEx.</summary>
internal static unsafe partial class LockCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "LockFileEx", SetLastError = true)]
    internal static partial int Invoke(nint handle, uint flags, uint reserved, uint lowBytes, uint highBytes, FileOffset* at);
}
