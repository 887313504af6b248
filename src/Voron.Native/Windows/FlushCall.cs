using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>FlushFileBuffers: what is cached of the file goes to the device, and the device is told to empty its cache.</summary>
internal static partial class FlushCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "FlushFileBuffers", SetLastError = true)]
    internal static partial int Invoke(nint handle);
}
