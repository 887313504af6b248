using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>OVERLAPPED, used for its offset only.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct FileOffset(long offset)
{
    internal nint Internal;
    internal nint InternalHigh;
    internal long Offset = offset;
    internal nint Event;
}
