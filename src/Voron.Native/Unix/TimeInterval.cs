using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>struct timespec.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct TimeInterval
{
    internal long Seconds;
    internal long Nanoseconds;
}
