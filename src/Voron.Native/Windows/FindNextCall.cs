using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>FindNextFileW.</summary>
internal static unsafe partial class FindNextCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "FindNextFileW", SetLastError = true)]
    internal static partial int Invoke(nint search, FoundName* found);
}
