using System.Runtime.InteropServices;

namespace Voron.Native.Mac;

/// <summary>fstatfs(2); for the names see <see cref="MacStatusCall"/>.</summary>
internal static unsafe partial class MacFileSystemCall
{
    internal static int Invoke(int descriptor, MacFileSystemStatus* status) =>
        RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? OnArm(descriptor, status) : OnX64(descriptor, status);

    [LibraryImport(Unix.LibC.Name, EntryPoint = "fstatfs$INODE64", SetLastError = true)]
    private static partial int OnX64(int descriptor, MacFileSystemStatus* status);

    [LibraryImport(Unix.LibC.Name, EntryPoint = "fstatfs", SetLastError = true)]
    private static partial int OnArm(int descriptor, MacFileSystemStatus* status);
}
