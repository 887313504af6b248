using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>FILE_ZERO_DATA_INFORMATION.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct ZeroRange
{
    internal long Offset;
    internal long End;
}
