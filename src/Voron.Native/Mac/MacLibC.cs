using System.Runtime.InteropServices;
using Voron.Native.Unix;

namespace Voron.Native.Mac;

/// <summary>
/// Functions of the C library of macOS that differ from those of Linux: by name, by structures, or by how variadic arguments are passed.
/// </summary>
internal static unsafe partial class MacLibC
{
    [LibraryImport(LibC.Name, EntryPoint = "fdopendir$INODE64", SetLastError = true)]
    internal static partial nint FdopendirOnX64(int descriptor);

    [LibraryImport(LibC.Name, EntryPoint = "fdopendir", SetLastError = true)]
    internal static partial nint FdopendirOnArm(int descriptor);

    [LibraryImport(LibC.Name, EntryPoint = "readdir$INODE64", SetLastError = true)]
    internal static partial MacDirectoryEntry* ReaddirOnX64(nint directory);

    [LibraryImport(LibC.Name, EntryPoint = "readdir", SetLastError = true)]
    internal static partial MacDirectoryEntry* ReaddirOnArm(nint directory);

    /// <summary>fcntl(2). The argument is variadic in C; see <see cref="Openat"/>.</summary>
    internal static int Fcntl(int descriptor, int command, nint argument) => RuntimeInformation.ProcessArchitecture == Architecture.Arm64
        ? FcntlOnArm(descriptor, command, 0, 0, 0, 0, 0, 0, argument)
        : FcntlOnX64(descriptor, command, argument);

    [LibraryImport(LibC.Name, EntryPoint = "fcntl", SetLastError = true)]
    private static partial int FcntlOnX64(int descriptor, int command, nint argument);

    [LibraryImport(LibC.Name, EntryPoint = "fcntl", SetLastError = true)]
    private static partial int FcntlOnArm(
        nint descriptor, nint command, nint third, nint fourth, nint fifth, nint sixth, nint seventh, nint eighth, nint argument);

    internal const int LockShared = 1;
    internal const int LockExclusive = 2;
    internal const int LockDoNotWait = 4;
    internal const int LockRelease = 8;

    /// <summary>flock(2): the lock belongs to the open file, as those do that Linux is asked for by fcntl(2).</summary>
    [LibraryImport(LibC.Name, EntryPoint = "flock", SetLastError = true)]
    internal static partial int Flock(int descriptor, int operation);

    /// <summary>fstatfs(2); for the names see <see cref="MacStatusCall"/>.</summary>
    internal static int Fstatfs(int descriptor, MacFileSystemStatus* status) =>
        RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? FstatfsOnArm(descriptor, status) : FstatfsOnX64(descriptor, status);

    [LibraryImport(LibC.Name, EntryPoint = "fstatfs$INODE64", SetLastError = true)]
    private static partial int FstatfsOnX64(int descriptor, MacFileSystemStatus* status);

    [LibraryImport(LibC.Name, EntryPoint = "fstatfs", SetLastError = true)]
    private static partial int FstatfsOnArm(int descriptor, MacFileSystemStatus* status);

    /// <summary>
    /// openat(2). The mode is variadic in C. On x64 it is passed like a named argument; on arm64 Apple's convention has it on the stack,
    /// which it reaches behind eight arguments that fill the registers.
    /// </summary>
    internal static int Openat(NativeDirectory directory, string path, int flags, uint mode) =>
        RuntimeInformation.ProcessArchitecture == Architecture.Arm64
            ? OpenatOnArm(directory, path, flags, 0, 0, 0, 0, 0, (nint)mode)
            : OpenatOnX64(directory, path, flags, mode);

    [LibraryImport(LibC.Name, EntryPoint = "openat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int OpenatOnX64(NativeDirectory directory, string path, int flags, uint mode);

    [LibraryImport(LibC.Name, EntryPoint = "openat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int OpenatOnArm(
        NativeDirectory directory, string path, nint flags, nint fourth, nint fifth, nint sixth, nint seventh, nint eighth, nint mode);

    [LibraryImport(LibC.Name, EntryPoint = "fstat$INODE64", SetLastError = true)]
    internal static partial int FstatOnX64(int descriptor, MacFileStatus* status);

    [LibraryImport(LibC.Name, EntryPoint = "fstat", SetLastError = true)]
    internal static partial int FstatOnArm(int descriptor, MacFileStatus* status);

    [LibraryImport(LibC.Name, EntryPoint = "fstatat$INODE64", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int FstatatOnX64(NativeDirectory directory, string name, MacFileStatus* status, int flags);

    [LibraryImport(LibC.Name, EntryPoint = "fstatat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int FstatatOnArm(NativeDirectory directory, string name, MacFileStatus* status, int flags);
}
