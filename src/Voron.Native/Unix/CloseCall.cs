using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>close(2). Linux frees the descriptor even when it reports EINTR, so it is never called twice.</summary>
internal static partial class CloseCall
{
    [LibraryImport(LibC.Name, EntryPoint = "close", SetLastError = true)]
    internal static partial int Invoke(int descriptor);
}
