using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>Flags of open(2). O_DIRECT and O_DIRECTORY have each other's value on arm64.</summary>
internal static class OpenFlags
{
    internal const int ReadOnly = 0;
    internal const int ReadWrite = 2;
    internal const int Create = 0x40;
    internal const int DataSync = 0x1000;
    internal const int CloseOnExec = 0x8_0000;
    internal const int PathOnly = 0x20_0000;

    /// <summary>Command of fcntl(2): of the flags above it changes O_DIRECT only.</summary>
    internal const int SetStatusFlags = 4;

    private const int X64DirectArm64Directory = 0x4000;
    private const int X64DirectoryArm64Direct = 0x1_0000;

    internal static int Direct { get; } = DirectOn(RuntimeInformation.ProcessArchitecture);

    internal static int Directory { get; } = DirectoryOn(RuntimeInformation.ProcessArchitecture);

    internal static int DirectOn(Architecture processor) =>
        processor == Architecture.Arm64 ? X64DirectoryArm64Direct : X64DirectArm64Directory;

    internal static int DirectoryOn(Architecture processor) =>
        processor == Architecture.Arm64 ? X64DirectArm64Directory : X64DirectoryArm64Direct;
}
