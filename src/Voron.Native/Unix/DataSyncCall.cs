using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>fdatasync(2): content and what is needed to read it back, the length included.</summary>
internal static partial class DataSyncCall
{
    [LibraryImport(LibC.Name, EntryPoint = "fdatasync", SetLastError = true)]
    internal static partial int Invoke(int descriptor);
}
