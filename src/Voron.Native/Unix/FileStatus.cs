using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>struct statx; 256 bytes, the fields in use named.</summary>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal struct FileStatus
{
    internal const uint WantBasic = 0x7FF;

    /// <summary>Alignment of unbuffered transfers, Linux 6.1. The mask of the result says whether the file system filled it in.</summary>
    internal const uint WantDirectAlignment = 0x2000;

    /// <summary>Number of the mount, Linux 5.8; likewise.</summary>
    internal const uint WantMount = 0x1000;

    internal const uint Wanted = WantBasic | WantDirectAlignment | WantMount;
    internal const int EmptyPath = 0x1000;
    private const int TypeMask = 0xF000;
    private const int TypeDirectory = 0x4000;

    [FieldOffset(0)]
    internal uint Mask;

    [FieldOffset(16)]
    internal uint Links;

    [FieldOffset(28)]
    internal ushort Mode;

    [FieldOffset(32)]
    internal ulong Inode;

    [FieldOffset(136)]
    internal uint DeviceMajor;

    [FieldOffset(140)]
    internal uint DeviceMinor;

    [FieldOffset(144)]
    internal ulong Mount;

    [FieldOffset(152)]
    internal uint DirectMemoryAlignment;

    [FieldOffset(156)]
    internal uint DirectOffsetAlignment;

    internal readonly bool IsDirectory => (Mode & TypeMask) == TypeDirectory;
}
