namespace Voron.Native.Windows;

/// <summary>A handle for synchronous calls; the system lets one transfer at a time through it.</summary>
internal sealed unsafe class WindowsFile : SystemFile
{
    private readonly nint _handle;
    private readonly bool _isDirect;
    private readonly bool _isReadOnly;
    private readonly bool _flushesWrites;
    private readonly WindowsLock _lock = new();

    private WindowsFile(nint handle, bool isDirect, bool isReadOnly, bool flushesWrites)
    {
        _handle = handle;
        _isDirect = isDirect;
        _isReadOnly = isReadOnly;
        _flushesWrites = flushesWrites;
    }

    internal nint Handle => _handle;

    /// <summary>What a change gets through a handle that is for reading only; the systems say it with several codes.</summary>
    private static NativeResult Denied => new(WindowsError.AccessDenied);

    internal override bool IsDirect => _isDirect;

    internal override bool FlushesWrites => _flushesWrites;

    internal static new NativeResult Open(NativeDirectory directory, string name, NativeFileOptions options, out SystemFile? file)
    {
        file = null;
        NativeResult located = WindowsDirectory.Locate(directory, name, out string systemPath);
        if (located.Failed)
        {
            return located;
        }

        bool isDirect = options.HasFlag(NativeFileOptions.Direct);
        NativeResult opened = OpenHandle(systemPath, options, isDirect, out nint handle);
        if (isDirect && (opened.Code == WindowsError.InvalidParameter || (!opened.Failed && WantsMore(handle))))
        {
            if (!opened.Failed)
            {
                _ = Kernel32.CloseHandle(handle);
            }

            isDirect = false;
            opened = OpenHandle(systemPath, options, isDirect, out handle);
        }

        if (opened.Failed)
        {
            return WindowsPath.Explain(systemPath, opened);
        }

        bool flushesWrites = options.HasFlag(NativeFileOptions.DataSync) && !WriteThroughTrust.IsKnown(systemPath);
        file = new WindowsFile(handle, isDirect, options.HasFlag(NativeFileOptions.ReadOnly), flushesWrites);
        return NativeResult.Success;
    }

    internal override NativeResult Read(byte* pointer, int bytes, long offset, out int read) =>
        WindowsTransfers.ReadAll(_handle, pointer, bytes, offset, _isDirect, out read);

    internal override NativeResult Write(byte* pointer, int bytes, long offset)
    {
        if (_isReadOnly)
        {
            return Denied;
        }

        NativeResult written = WindowsTransfers.WriteAll(_handle, pointer, bytes, offset, _isDirect);
        return written.Failed || !_flushesWrites ? written : Flush();
    }

    internal override NativeResult GetLength(out long bytes) => WindowsLength.Get(_handle, out bytes);

    internal override NativeResult SetLength(long bytes) => _isReadOnly ? Denied : WindowsLength.Set(_handle, bytes);

    internal override NativeResult Allocate(long bytes) => _isReadOnly ? Denied : WindowsLength.Allocate(_handle, bytes);

    /// <summary>
    /// Only sparse files have holes here, and the system sets no space aside for what a sparse file grows by: a later write could find the
    /// disk full where the engine was promised that it cannot.
    /// </summary>
    internal override NativeResult Punch(long offset, long bytes) =>
        _isReadOnly ? Denied : NativePlatform.NoSuchCall;

    /// <summary>A handle without the right to write cannot be flushed; nothing was written through it.</summary>
    internal override NativeResult SyncData() => _isReadOnly ? NativeResult.Success : Flush();

    /// <summary>The system has no such call for files that are not mapped for writing.</summary>
    internal override NativeResult WriteOut(long offset, long bytes) => NativeResult.Success;

    /// <summary>The system has no such call.</summary>
    internal override void ForgetCached(long bytes)
    {
    }

    internal override NativeResult TryLock(bool exclusive) =>
        exclusive && _isReadOnly ? Denied : _lock.TryTake(_handle, exclusive);

    internal override NativeResult TryLockSlot(int slot, bool exclusive) =>
        slot == 0 ? TryLock(exclusive)
        : exclusive && _isReadOnly ? Denied
        : WindowsLock.TryTakeSlot(_handle, slot, exclusive);

    internal override NativeResult IsSlotLocked(int slot, out bool isLocked)
    {
        isLocked = WindowsLock.IsSlotTaken(_handle, slot);
        return NativeResult.Success;
    }

    internal override NativeResult Query(out NativeFileFacts facts) => WindowsFacts.Of(_handle, out facts);

    internal override void Close() => _ = Kernel32.CloseHandle(_handle);

    private NativeResult Flush() => Kernel32.FlushFileBuffers(_handle) != 0 ? NativeResult.Success : NativeResult.Last();

    private static NativeResult OpenHandle(string systemPath, NativeFileOptions options, bool isDirect, out nint handle)
    {
        uint access = OpenRights.Read | (options.HasFlag(NativeFileOptions.ReadOnly) ? 0 : OpenRights.Write);
        uint flags = OpenRights.Normal
            | (isDirect ? OpenRights.NoBuffering : 0)
            | (options.HasFlag(NativeFileOptions.DataSync) ? OpenRights.WriteThrough : 0);
        uint disposition = options.HasFlag(NativeFileOptions.Create) ? OpenRights.OpenAlways : OpenRights.OpenExisting;
        int attempts = 0;
        NativeResult result;
        do
        {
            handle = Kernel32.CreateFile(systemPath, access, OpenRights.ShareAll, 0, disposition, flags, 0);
            result = handle != Kernel32.InvalidHandle ? NativeResult.Success : NativeResult.Last();
        }
        while (Patience.IsHeld(result, ref attempts));
        return result;
    }

    /// <summary>True when unbuffered transfers must be multiples of more than ours are. Systems that do not tell want no more.</summary>
    private static bool WantsMore(nint handle)
    {
        SectorSizes sizes = default;
        return Kernel32.GetFileInformationByHandleEx(handle, SectorSizes.Class, &sizes, (uint)sizeof(SectorSizes)) != 0
            && sizes.LogicalBytes > NativeFile.DirectAlignmentBytes;
    }
}
