using System.Runtime.InteropServices;

namespace Voron.Native.Mac;

/// <summary>fcntl(2). The argument is variadic in C; see <see cref="MacOpenCall"/>.</summary>
internal static partial class MacControlCall
{
    internal static int Invoke(int descriptor, int command, nint argument) => RuntimeInformation.ProcessArchitecture == Architecture.Arm64
        ? OnArm(descriptor, command, 0, 0, 0, 0, 0, 0, argument)
        : OnX64(descriptor, command, argument);

    [LibraryImport(Unix.LibC.Name, EntryPoint = "fcntl", SetLastError = true)]
    private static partial int OnX64(int descriptor, int command, nint argument);

    [LibraryImport(Unix.LibC.Name, EntryPoint = "fcntl", SetLastError = true)]
    private static partial int OnArm(
        nint descriptor, nint command, nint third, nint fourth, nint fifth, nint sixth, nint seventh, nint eighth, nint argument);
}
