using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>Directories by paths; see <see cref="NativeDirectory"/>.</summary>
internal static unsafe class WindowsDirectory
{
    private const uint ReplaceExisting = 1;
    private const uint WriteThroughMove = 8;
    private const int DispositionClass = 4;
    private const int DispositionWithFlagsClass = 21;
    private const uint DeleteByName = 1 | 2;

    private static int _deletedNames;

    internal static NativeResult Create(string path)
    {
        string systemPath = WindowsPath.ToSystem(path);
        return MakeDirectoryCall.Invoke(systemPath, 0) != 0
            ? NativeResult.Success
            : WindowsPath.Explain(systemPath, NativeResult.Last());
    }

    internal static NativeResult Check(string path)
    {
        string systemPath = WindowsPath.ToSystem(path);
        uint found = AttributesCall.Invoke(systemPath);
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
    internal static NativeResult Sync(string path)
    {
        NativeResult checkedPath = Check(path);
        if (checkedPath.Failed)
        {
            return checkedPath;
        }

        nint handle = CreateFileCall.Invoke(
            WindowsPath.ToSystem(path),
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

        NativeResult flushed = FlushCall.Invoke(handle) != 0 ? NativeResult.Success : NativeResult.Last();
        _ = CloseHandleCall.Invoke(handle);
        return IsRefusal(flushed) ? NativeResult.Success : flushed;
    }

    internal static NativeResult Rename(string from, string to)
    {
        string source = WindowsPath.ToSystem(from);
        string target = WindowsPath.ToSystem(to);
        int attempts = 0;
        NativeResult result;
        do
        {
            result = MoveFileCall.Invoke(source, target, ReplaceExisting | WriteThroughMove) != 0
                ? NativeResult.Success
                : NativeResult.Last();
        }
        while (Patience.IsHeld(result, ref attempts));
        return WindowsPath.Explain(target, WindowsPath.Explain(source, result));
    }

    /// <summary>
    /// The name is free at once, although the file may be open. Systems before 2018 and file systems without that keep the name until the
    /// last handle is closed; there the file gets another name first.
    /// </summary>
    internal static NativeResult Delete(string path)
    {
        string systemPath = WindowsPath.ToSystem(path);
        int attempts = 0;
        NativeResult result;
        nint handle;
        do
        {
            handle = CreateFileCall.Invoke(
                systemPath, OpenRights.Delete, OpenRights.ShareAll, 0, OpenRights.OpenExisting, OpenRights.OpenReparsePoint, 0);
            result = handle != Kernel32.InvalidHandle ? NativeResult.Success : NativeResult.Last();
        }
        while (Patience.IsHeld(result, ref attempts));
        if (result.Failed)
        {
            return WindowsPath.Explain(systemPath, result);
        }

        uint flags = DeleteByName;
        result = SetFileCall.Invoke(handle, DispositionWithFlagsClass, &flags, sizeof(uint)) != 0
            ? NativeResult.Success
            : DeleteUnderOtherName(systemPath, handle);
        _ = CloseHandleCall.Invoke(handle);
        return result;
    }

    internal static NativeResult ListFiles(string path, ICollection<string> names)
    {
        NativeResult checkedPath = Check(path);
        if (checkedPath.Failed)
        {
            return checkedPath;
        }

        FoundName found;
        nint search = FindFirstCall.Invoke(Path.Join(WindowsPath.ToSystem(path), "*"), &found);
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
        while (FindNextCall.Invoke(search, &found) != 0);
        NativeResult ended = NativeResult.Last();
        _ = FindCloseCall.Invoke(search);
        return ended.Code == WindowsError.NoMoreFiles ? NativeResult.Success : ended;
    }

    private static NativeResult DeleteUnderOtherName(string systemPath, nint handle)
    {
        NativeResult moved;
        do
        {
            string other = Path.Join(
                Path.GetDirectoryName(systemPath), $"deleted-{Environment.ProcessId}-{Interlocked.Increment(ref _deletedNames)}");
            moved = MoveFileCall.Invoke(systemPath, other, 0) != 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (moved.Code is WindowsError.AlreadyExists or WindowsError.FileExists);
        if (moved.Failed)
        {
            return moved;
        }

        byte delete = 1;
        return SetFileCall.Invoke(handle, DispositionClass, &delete, sizeof(byte)) != 0 ? NativeResult.Success : NativeResult.Last();
    }

    private static bool IsRefusal(NativeResult result) => result.Code is WindowsError.AccessDenied or WindowsError.InvalidFunction
        or WindowsError.InvalidHandle or WindowsError.InvalidParameter or WindowsError.NotSupported;
}
