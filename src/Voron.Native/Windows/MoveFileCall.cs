using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>MoveFileExW.</summary>
internal static partial class MoveFileCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "MoveFileExW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    internal static partial int Invoke(string from, string to, uint flags);
}
