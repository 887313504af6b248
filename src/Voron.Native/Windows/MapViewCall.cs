using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>MapViewOfFileEx.</summary>
internal static partial class MapViewCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "MapViewOfFileEx", SetLastError = true)]
    internal static partial nint Invoke(nint section, uint access, uint highOffset, uint lowOffset, nuint bytes, nint address);
}
