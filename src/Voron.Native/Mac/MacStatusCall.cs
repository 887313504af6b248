using System.Runtime.InteropServices;

namespace Voron.Native.Mac;

/// <summary>
/// fstat(2) and fstatat(2). On x64 the plain names are those of an older structure; on arm64 there is only the present one.
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

    /// <summary>Status of what a name or path leads to, symbolic links followed.</summary>
    internal static NativeResult OfName(NativeDirectory directory, string name, out MacFileStatus status)
    {
        fixed (MacFileStatus* answer = &status)
        {
            *answer = default;
            int result = RuntimeInformation.ProcessArchitecture == Architecture.Arm64
                ? NameOnArm(directory, name, answer, 0)
                : NameOnX64(directory, name, answer, 0);
            return result == 0 ? NativeResult.Success : NativeResult.Last();
        }
    }

    [LibraryImport(Unix.LibC.Name, EntryPoint = "fstat$INODE64", SetLastError = true)]
    private static partial int FileOnX64(int descriptor, MacFileStatus* status);

    [LibraryImport(Unix.LibC.Name, EntryPoint = "fstat", SetLastError = true)]
    private static partial int FileOnArm(int descriptor, MacFileStatus* status);

    [LibraryImport(Unix.LibC.Name, EntryPoint = "fstatat$INODE64", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int NameOnX64(NativeDirectory directory, string name, MacFileStatus* status, int flags);

    [LibraryImport(Unix.LibC.Name, EntryPoint = "fstatat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int NameOnArm(NativeDirectory directory, string name, MacFileStatus* status, int flags);
}
