using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>Functions of kernel32.dll. Each sets the last error if it fails.</summary>
internal static unsafe partial class Kernel32
{
    internal const string Name = "kernel32.dll";

    /// <summary>What CreateFileW and FindFirstFileW return if they fail.</summary>
    internal const nint InvalidHandle = -1;

    [LibraryImport(Name, EntryPoint = "CloseHandle", SetLastError = true)]
    internal static partial int CloseHandle(nint handle);

    [LibraryImport(Name, EntryPoint = "CreateDirectoryW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    internal static partial int CreateDirectory(string path, nint security);

    /// <summary>CreateFileW: opens files and directories.</summary>
    [LibraryImport(Name, EntryPoint = "CreateFileW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    internal static partial nint CreateFile(
        string path, uint access, uint sharing, nint security, uint disposition, uint flags, nint template);

    /// <summary>CreateFileMappingW: a section as long as the file when no size is given.</summary>
    [LibraryImport(Name, EntryPoint = "CreateFileMappingW", SetLastError = true)]
    internal static partial nint CreateFileMapping(nint handle, nint security, uint protection, uint highBytes, uint lowBytes, nint name);

    [LibraryImport(Name, EntryPoint = "DeviceIoControl", SetLastError = true)]
    internal static partial int DeviceIoControl(
        nint handle, uint code, void* input, uint inputBytes, void* output, uint outputBytes, uint* returned, nint overlapped);

    [LibraryImport(Name, EntryPoint = "FindClose", SetLastError = true)]
    internal static partial int FindClose(nint search);

    [LibraryImport(Name, EntryPoint = "FindFirstFileW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    internal static partial nint FindFirstFile(string pattern, FoundName* found);

    [LibraryImport(Name, EntryPoint = "FindNextFileW", SetLastError = true)]
    internal static partial int FindNextFile(nint search, FoundName* found);

    /// <summary>FlushFileBuffers: writes what is cached of the file to the device, and asks the device to empty its cache.</summary>
    [LibraryImport(Name, EntryPoint = "FlushFileBuffers", SetLastError = true)]
    internal static partial int FlushFileBuffers(nint handle);

    [LibraryImport(Name, EntryPoint = "GetFileAttributesW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    internal static partial uint GetFileAttributes(string path);

    [LibraryImport(Name, EntryPoint = "GetFileInformationByHandle", SetLastError = true)]
    internal static partial int GetFileInformationByHandle(nint handle, FileIdentity* identity);

    /// <summary>The same for a directory, which no other thread closes meanwhile.</summary>
    [LibraryImport(Name, EntryPoint = "GetFileInformationByHandle", SetLastError = true)]
    internal static partial int GetFileInformationByHandle(NativeDirectory directory, FileIdentity* identity);

    [LibraryImport(Name, EntryPoint = "GetFileInformationByHandleEx", SetLastError = true)]
    internal static partial int GetFileInformationByHandleEx(nint handle, int what, void* answer, uint bytes);

    [LibraryImport(Name, EntryPoint = "GetFileSizeEx", SetLastError = true)]
    internal static partial int GetFileSizeEx(nint handle, long* bytes);

    /// <summary>GetVolumeInformationByHandleW, of which the name of the file system is asked.</summary>
    [LibraryImport(Name, EntryPoint = "GetVolumeInformationByHandleW", SetLastError = true)]
    internal static partial int GetVolumeInformationByHandle(
        nint handle, nint label, uint labelLetters, nint serial, nint component, nint flags, char* system, uint letters);

    /// <summary>GetVolumeNameForVolumeMountPointW: the device of a mount point.</summary>
    [LibraryImport(
        Kernel32.Name, EntryPoint = "GetVolumeNameForVolumeMountPointW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    internal static partial int GetVolumeNameForVolumeMountPoint(string mount, char* volume, uint letters);

    /// <summary>GetVolumePathNameW: where the volume of a path is mounted.</summary>
    [LibraryImport(Name, EntryPoint = "GetVolumePathNameW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    internal static partial int GetVolumePathName(string path, char* volume, uint letters);

    [LibraryImport(Name, EntryPoint = "LockFileEx", SetLastError = true)]
    internal static partial int LockFileEx(nint handle, uint flags, uint reserved, uint lowBytes, uint highBytes, FileOffset* at);

    [LibraryImport(Name, EntryPoint = "MapViewOfFileEx", SetLastError = true)]
    internal static partial nint MapViewOfFileEx(nint section, uint access, uint highOffset, uint lowOffset, nuint bytes, nint address);

    [LibraryImport(Name, EntryPoint = "MoveFileExW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    internal static partial int MoveFileEx(string from, string to, uint flags);

    /// <summary>PrefetchVirtualMemory: starts to read a range of a view into memory. −1 is the current process.</summary>
    [LibraryImport(Name, EntryPoint = "PrefetchVirtualMemory", SetLastError = true)]
    internal static partial int PrefetchVirtualMemory(nint process, nuint count, in MemoryRange range, uint flags);

    /// <summary>
    /// ReadFile at the offset in the structure; on a handle that is not overlapped it returns when the transfer has ended.
    /// </summary>
    [LibraryImport(Name, EntryPoint = "ReadFile", SetLastError = true)]
    internal static partial int ReadFile(nint handle, byte* buffer, uint bytes, uint* read, FileOffset* at);

    /// <summary>SetFileInformationByHandle: length, allocation, disposition.</summary>
    [LibraryImport(Name, EntryPoint = "SetFileInformationByHandle", SetLastError = true)]
    internal static partial int SetFileInformationByHandle(nint handle, int what, void* value, uint bytes);

    [LibraryImport(Name, EntryPoint = "UnlockFileEx", SetLastError = true)]
    internal static partial int UnlockFileEx(nint handle, uint reserved, uint lowBytes, uint highBytes, FileOffset* at);

    [LibraryImport(Name, EntryPoint = "UnmapViewOfFile", SetLastError = true)]
    internal static partial int UnmapViewOfFile(nint address);

    [LibraryImport(Name, EntryPoint = "VirtualAlloc", SetLastError = true)]
    internal static partial nint VirtualAlloc(nint address, nuint bytes, uint kind, uint protection);

    [LibraryImport(Name, EntryPoint = "VirtualFree", SetLastError = true)]
    internal static partial int VirtualFree(nint address, nuint bytes, uint kind);

    [LibraryImport(Name, EntryPoint = "VirtualQuery", SetLastError = true)]
    internal static partial nuint VirtualQuery(nint address, MemoryPlace* place, nuint bytes);

    /// <summary>WriteFile at the offset in the structure.</summary>
    [LibraryImport(Name, EntryPoint = "WriteFile", SetLastError = true)]
    internal static partial int WriteFile(nint handle, byte* buffer, uint bytes, uint* written, FileOffset* at);
}
