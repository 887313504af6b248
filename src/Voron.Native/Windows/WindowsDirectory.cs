using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>Directories by paths whose identity is checked before each call; see <see cref="NativeDirectory"/>.</summary>
internal static unsafe class WindowsDirectory
{
    private const uint ReplaceExisting = 1;
    private const uint WriteThroughMove = 8;
    private const int DispositionWithFlagsClass = 21;
    private const uint DeleteByName = 1 | 2;

    private static int _deletedNames;

    /// <summary>The path of a name in a directory; fails when the path of the directory leads to another one by now.</summary>
    internal static NativeResult Locate(NativeDirectory directory, string name, out string systemPath)
    {
        systemPath = WindowsPath.ToSystem(directory.PathOf(name));
        return directory.CheckIdentity();
    }

    /// <summary>As the handle does not share the right to delete, the directory keeps its name while it is open.</summary>
    internal static NativeResult Open(NativeDirectory parent, string name, out nint handle)
    {
        handle = Kernel32.InvalidHandle;
        NativeResult checkedPath = Check(parent, name);
        if (checkedPath.Failed)
        {
            return checkedPath;
        }

        string systemPath = WindowsPath.ToSystem(parent.PathOf(name));
        handle = Kernel32.CreateFile(
            systemPath, OpenRights.Read, OpenRights.ShareReadAndWrite, 0, OpenRights.OpenExisting, OpenRights.BackupSemantics, 0);
        return handle != Kernel32.InvalidHandle ? NativeResult.Success : WindowsPath.Explain(systemPath, NativeResult.Last());
    }

    internal static NativeResult CheckIdentity(NativeDirectory directory)
    {
        nint present = Kernel32.CreateFile(
            WindowsPath.ToSystem(directory.Path),
            OpenRights.ReadAttributes,
            OpenRights.ShareAll,
            0,
            OpenRights.OpenExisting,
            OpenRights.BackupSemantics,
            0);
        if (present == Kernel32.InvalidHandle)
        {
            NativeResult missing = NativeResult.Last();
            return missing.Code is WindowsError.FileNotFound or WindowsError.PathNotFound
                ? new NativeResult(WindowsError.FileInvalid)
                : missing;
        }

        FileIdentity held = default;
        FileIdentity found = default;
        bool isKnown = Kernel32.GetFileInformationByHandle(directory, &held) != 0
            && Kernel32.GetFileInformationByHandle(present, &found) != 0;
        NativeResult result = !isKnown ? NativeResult.Last()
            : (held.VolumeSerial, held.HighIndex, held.LowIndex) == (found.VolumeSerial, found.HighIndex, found.LowIndex)
                ? NativeResult.Success
                : new NativeResult(WindowsError.FileInvalid);
        _ = Kernel32.CloseHandle(present);
        return result;
    }

    internal static NativeResult Create(NativeDirectory parent, string name)
    {
        NativeResult located = Locate(parent, name, out string systemPath);
        return located.Failed ? located
            : Kernel32.CreateDirectory(systemPath, 0) != 0 ? NativeResult.Success
            : WindowsPath.Explain(systemPath, NativeResult.Last());
    }

    internal static NativeResult Check(NativeDirectory parent, string name)
    {
        NativeResult located = Locate(parent, name, out string systemPath);
        if (located.Failed)
        {
            return located;
        }

        uint found = Kernel32.GetFileAttributes(systemPath);
        if (found == OpenRights.NoAttributes)
        {
            return WindowsPath.Explain(systemPath, NativeResult.Last());
        }

        return (found & OpenRights.DirectoryAttribute) != 0 ? NativeResult.Success : new NativeResult(WindowsError.NotADirectory);
    }

    /// <summary>
    /// Names are durable when the file system's log is, which every flush of a file and every write-through rename writes out in order.
    /// The system has no contract for a flush of a directory; where it takes one, it is asked for, and where it does not it is no error.
    /// </summary>
    internal static NativeResult Sync(NativeDirectory directory)
    {
        NativeResult located = Locate(directory, string.Empty, out string systemPath);
        if (located.Failed)
        {
            return located;
        }

        nint handle = Kernel32.CreateFile(
            systemPath,
            OpenRights.Write,
            OpenRights.ShareAll,
            0,
            OpenRights.OpenExisting,
            OpenRights.BackupSemantics,
            0);
        if (handle == Kernel32.InvalidHandle)
        {
            return NativeResult.Success;
        }

        NativeResult flushed = Kernel32.FlushFileBuffers(handle) != 0 ? NativeResult.Success : NativeResult.Last();
        _ = Kernel32.CloseHandle(handle);
        return IsRefusal(flushed) ? NativeResult.Success : flushed;
    }

    internal static NativeResult Rename(NativeDirectory source, string from, NativeDirectory target, string to)
    {
        NativeResult result = Locate(source, from, out string sourcePath);
        NativeResult located = Locate(target, to, out string targetPath);
        if (result.Failed || located.Failed)
        {
            return result.Failed ? result : located;
        }

        int attempts = 0;
        do
        {
            result = Kernel32.MoveFileEx(sourcePath, targetPath, ReplaceExisting | WriteThroughMove) != 0
                ? NativeResult.Success
                : NativeResult.Last();
        }
        while (Patience.IsHeld(result, ref attempts));
        return WindowsPath.Explain(targetPath, WindowsPath.Explain(sourcePath, result));
    }

    /// <summary>
    /// The name is free at once, although the file may be open. Systems before 2018 and file systems without that keep the name until the
    /// last handle is closed; there the file gets another name first.
    /// </summary>
    internal static NativeResult Delete(NativeDirectory directory, string name)
    {
        NativeResult result = Locate(directory, name, out string systemPath);
        if (result.Failed)
        {
            return result;
        }

        int attempts = 0;
        nint handle;
        do
        {
            handle = Kernel32.CreateFile(
                systemPath, OpenRights.Delete, OpenRights.ShareAll, 0, OpenRights.OpenExisting, OpenRights.OpenReparsePoint, 0);
            result = handle != Kernel32.InvalidHandle ? NativeResult.Success : NativeResult.Last();
        }
        while (Patience.IsHeld(result, ref attempts));
        if (result.Failed)
        {
            return WindowsPath.Explain(systemPath, result);
        }

        uint flags = DeleteByName;
        result = Kernel32.SetFileInformationByHandle(handle, DispositionWithFlagsClass, &flags, sizeof(uint)) != 0
            ? NativeResult.Success
            : DeleteUnderOtherName(systemPath);
        _ = Kernel32.CloseHandle(handle);
        return result;
    }

    internal static NativeResult ListFiles(NativeDirectory directory, ICollection<string> names)
    {
        NativeResult located = Locate(directory, string.Empty, out string systemPath);
        if (located.Failed)
        {
            return located;
        }

        FoundName found;
        nint search = Kernel32.FindFirstFile(Path.Join(systemPath, "*"), &found);
        if (search == Kernel32.InvalidHandle)
        {
            NativeResult result = NativeResult.Last();
            return result.Code == WindowsError.FileNotFound ? NativeResult.Success : result;
        }

        do
        {
            if ((found.Attributes & OpenRights.DirectoryAttribute) == 0)
            {
                names.Add(MemoryMarshal.CreateReadOnlySpanFromNullTerminated(found.Name).ToString());
            }
        }
        while (Kernel32.FindNextFile(search, &found) != 0);
        NativeResult ended = NativeResult.Last();
        _ = Kernel32.FindClose(search);
        return ended.Code == WindowsError.NoMoreFiles ? NativeResult.Success : ended;
    }

    /// <summary>Opened by the other name, because Wine deletes a file by the name that a handle was opened with.</summary>
    private static NativeResult DeleteUnderOtherName(string systemPath)
    {
        string other;
        NativeResult moved;
        do
        {
            other = Path.Join(
                Path.GetDirectoryName(systemPath), $"deleted-{Environment.ProcessId}-{Interlocked.Increment(ref _deletedNames)}");
            moved = Kernel32.MoveFileEx(systemPath, other, 0) != 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (moved.Code is WindowsError.AlreadyExists or WindowsError.FileExists);
        if (moved.Failed)
        {
            return moved;
        }

        uint flags = OpenRights.OpenReparsePoint | OpenRights.DeleteOnClose;
        nint handle = Kernel32.CreateFile(other, OpenRights.Delete, OpenRights.ShareAll, 0, OpenRights.OpenExisting, flags, 0);
        if (handle == Kernel32.InvalidHandle)
        {
            return NativeResult.Last();
        }

        _ = Kernel32.CloseHandle(handle);
        return NativeResult.Success;
    }

    private static bool IsRefusal(NativeResult result) => result.Code is WindowsError.AccessDenied or WindowsError.InvalidFunction
        or WindowsError.InvalidHandle or WindowsError.InvalidParameter or WindowsError.NotSupported;
}
