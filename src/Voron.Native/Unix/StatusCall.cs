using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>statx(2), through syscall(2): older C libraries lack the function while the kernel has the call.</summary>
internal static unsafe partial class StatusCall
{
    [LibraryImport(LibC.Name, EntryPoint = "syscall", SetLastError = true)]
    internal static partial nint Invoke(nint number, nint directory, byte* path, nint flags, nint mask, FileStatus* status);
}
