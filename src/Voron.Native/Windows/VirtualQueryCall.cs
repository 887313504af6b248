using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>VirtualQuery.</summary>
internal static unsafe partial class VirtualQueryCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "VirtualQuery", SetLastError = true)]
    internal static partial nuint Invoke(nint address, MemoryPlace* place, nuint bytes);
}
