using System.Runtime.InteropServices;

namespace Voron.Native.Mac;

/// <summary>
/// openat(2). The mode is variadic in C. On x64 it is passed like a named argument; on arm64 Apple's convention has it on the stack,
/// which it reaches behind eight arguments that fill the registers.
/// </summary>
internal static partial class MacOpenCall
{
    internal static int Invoke(NativeDirectory directory, string path, int flags, uint mode) =>
        RuntimeInformation.ProcessArchitecture == Architecture.Arm64
            ? OnArm(directory, path, flags, 0, 0, 0, 0, 0, (nint)mode)
            : OnX64(directory, path, flags, mode);

    [LibraryImport(Unix.LibC.Name, EntryPoint = "openat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int OnX64(NativeDirectory directory, string path, int flags, uint mode);

    [LibraryImport(Unix.LibC.Name, EntryPoint = "openat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int OnArm(
        NativeDirectory directory, string path, nint flags, nint fourth, nint fifth, nint sixth, nint seventh, nint eighth, nint mode);
}
