using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>ReadFile at the offset that stands in the third structure; on a handle of ours it returns when the transfer is over.</summary>
internal static unsafe partial class ReadFileCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "ReadFile", SetLastError = true)]
    internal static partial int Invoke(nint handle, byte* buffer, uint bytes, uint* read, FileOffset* at);
}
