using System.Runtime.InteropServices;

namespace Voron.Native.Mac;

/// <summary>Head of struct dirent; the zero-terminated name follows at <see cref="NameOffset"/>.</summary>
[StructLayout(LayoutKind.Explicit)]
internal struct MacDirectoryEntry
{
    internal const int NameOffset = 21;

    [FieldOffset(0)]
    internal ulong Inode;

    [FieldOffset(20)]
    internal byte Type;
}
