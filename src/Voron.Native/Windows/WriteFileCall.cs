using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>WriteFile at the offset that stands in the third structure.</summary>
internal static unsafe partial class WriteFileCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "WriteFile", SetLastError = true)]
    internal static partial int Invoke(nint handle, byte* buffer, uint bytes, uint* written, FileOffset* at);
}
