using System.Runtime.InteropServices;

namespace Voron.Native.Mac;

/// <summary>
/// fstat(2) and stat(2). On x64 the plain names are those of an older structure; on arm64 there is only the present one.
/// </summary>
internal static unsafe partial class MacStatusCall
{
    internal static NativeResult OfDescriptor(int descriptor, out MacFileStatus status)
    {
        fixed (MacFileStatus* answer = &status)
        {
            *answer = default;
            int result = RuntimeInformation.ProcessArchitecture == Architecture.Arm64
                ? FileOnArm(descriptor, answer)
                : FileOnX64(descriptor, answer);
            return result == 0 ? NativeResult.Success : NativeResult.Last();
        }
    }

    /// <summary>Status of what a path leads to, symbolic links followed.</summary>
    internal static NativeResult OfPath(string path, out MacFileStatus status)
    {
        fixed (MacFileStatus* answer = &status)
        {
            *answer = default;
            int result = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? PathOnArm(path, answer) : PathOnX64(path, answer);
            return result == 0 ? NativeResult.Success : NativeResult.Last();
        }
    }

    [LibraryImport(Unix.LibC.Name, EntryPoint = "fstat$INODE64", SetLastError = true)]
    private static partial int FileOnX64(int descriptor, MacFileStatus* status);

    [LibraryImport(Unix.LibC.Name, EntryPoint = "fstat", SetLastError = true)]
    private static partial int FileOnArm(int descriptor, MacFileStatus* status);

    [LibraryImport(Unix.LibC.Name, EntryPoint = "stat$INODE64", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int PathOnX64(string path, MacFileStatus* status);

    [LibraryImport(Unix.LibC.Name, EntryPoint = "stat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int PathOnArm(string path, MacFileStatus* status);
}
