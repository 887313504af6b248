using System.Runtime.InteropServices;

namespace Voron.Native.Mac;

/// <summary>opendir(3) and readdir(3); for the names see <see cref="MacStatusCall"/>.</summary>
internal static unsafe partial class MacDirectoryCalls
{
    internal static nint Open(string path) =>
        RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? OpenOnArm(path) : OpenOnX64(path);

    /// <summary>Null is the end or an error; the two differ by errno, which is cleared before the call.</summary>
    internal static MacDirectoryEntry* Read(nint directory) =>
        RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? ReadOnArm(directory) : ReadOnX64(directory);

    [LibraryImport(Unix.LibC.Name, EntryPoint = "opendir$INODE64", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial nint OpenOnX64(string path);

    [LibraryImport(Unix.LibC.Name, EntryPoint = "opendir", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial nint OpenOnArm(string path);

    [LibraryImport(Unix.LibC.Name, EntryPoint = "readdir$INODE64", SetLastError = true)]
    private static partial MacDirectoryEntry* ReadOnX64(nint directory);

    [LibraryImport(Unix.LibC.Name, EntryPoint = "readdir", SetLastError = true)]
    private static partial MacDirectoryEntry* ReadOnArm(nint directory);
}
