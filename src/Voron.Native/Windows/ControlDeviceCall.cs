using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>DeviceIoControl.</summary>
internal static unsafe partial class ControlDeviceCall
{
    [LibraryImport(Kernel32.Name, EntryPoint = "DeviceIoControl", SetLastError = true)]
    internal static partial int Invoke(
        nint handle, uint code, void* input, uint inputBytes, void* output, uint outputBytes, uint* returned, nint overlapped);
}
