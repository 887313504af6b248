using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>getentropy(3), which Linux (getrandom(2) below it) and macOS have alike; up to 256 bytes, all or none.</summary>
internal static unsafe partial class RandomCall
{
    [LibraryImport(LibC.Name, EntryPoint = "getentropy", SetLastError = true)]
    internal static partial int Invoke(byte* destination, nuint bytes);
}
