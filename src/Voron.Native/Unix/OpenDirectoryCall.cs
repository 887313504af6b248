using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>fdopendir(3): the stream owns the descriptor when the call succeeds.</summary>
internal static partial class OpenDirectoryCall
{
    [LibraryImport(LibC.Name, EntryPoint = "fdopendir", SetLastError = true)]
    internal static partial nint Invoke(int descriptor);
}
