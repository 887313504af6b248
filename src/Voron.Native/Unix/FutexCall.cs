using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>futex(2). The C library has no function for it, so it goes through syscall(2).</summary>
internal static unsafe partial class FutexCall
{
    [LibraryImport(LibC.Name, EntryPoint = "syscall", SetLastError = true)]
    internal static partial nint Invoke(nint number, int* word, nint operation, nint value, TimeInterval* timeout, nint word2, nint value3);
}
