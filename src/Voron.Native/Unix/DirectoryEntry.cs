using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>Head of struct dirent; the zero-terminated name follows at <see cref="NameOffset"/>.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct DirectoryEntry
{
    internal const int NameOffset = 19;
    internal const byte TypeDirectory = 4;
    internal const byte TypeFile = 8;

    internal ulong Inode;
    internal long Next;
    internal ushort RecordBytes;
    internal byte Type;
}
