using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>FindFirstFileW.</summary>
internal static unsafe partial class FindFirstCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "FindFirstFileW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    internal static partial nint Invoke(string pattern, FoundName* found);
}
