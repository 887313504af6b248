using Voron.Native.Unix;

namespace Voron.Native.Mac;

/// <summary>
/// A file descriptor of macOS. Reading, writing and lengths are those of every Unix; unbuffered transfers, durability, space and locks are
/// asked for in other ways.
/// </summary>
internal sealed class MacFile : UnixFile
{
    private readonly bool _isReadOnly;
    private bool _isLocked;

    private MacFile(int descriptor, bool isDirect, bool isReadOnly, bool flushesWrites)
        : base(descriptor, isDirect)
    {
        _isReadOnly = isReadOnly;
        FlushesWrites = flushesWrites;
    }

    internal override bool FlushesWrites { get; }

    internal static new NativeResult Open(NativeDirectory directory, string name, NativeFileOptions options, out SystemFile? file)
    {
        file = null;
        bool isReadOnly = options.HasFlag(NativeFileOptions.ReadOnly);
        int flags = MacOpenFlags.CloseOnExec
            | (isReadOnly ? MacOpenFlags.ReadOnly : MacOpenFlags.ReadWrite)
            | (options.HasFlag(NativeFileOptions.Create) ? MacOpenFlags.Create : 0);
        NativeResult opened = OpenDescriptor(directory, name, flags, out int descriptor);
        if (opened.Failed)
        {
            return opened;
        }

        bool flushesWrites = options.HasFlag(NativeFileOptions.DataSync) && !isReadOnly;
        NativeResult judged = Judge(descriptor, flushesWrites);
        if (judged.Failed)
        {
            _ = LibC.Close(descriptor);
            return judged;
        }

        bool isDirect = options.HasFlag(NativeFileOptions.Direct) && MacControl.TryBypassCache(descriptor);
        file = new MacFile(descriptor, isDirect, isReadOnly, flushesWrites);
        return NativeResult.Success;
    }

    internal override unsafe NativeResult Write(byte* pointer, int bytes, long offset)
    {
        NativeResult written = base.Write(pointer, bytes, offset);
        return written.Failed || !FlushesWrites ? written : MacControl.Sync(Descriptor);
    }

    /// <summary>Space is set aside behind the end of the file, and then the end is moved over it.</summary>
    internal override NativeResult Allocate(long bytes)
    {
        NativeResult result = FileLength.Get(Descriptor, out long length);
        if (result.Failed || length >= bytes)
        {
            return result;
        }

        result = MacControl.SetAside(Descriptor, bytes - length);
        return result.Failed && result.Code is not (Errno.OPNOTSUPP or Errno.NOSYS) ? result : FileLength.Set(Descriptor, bytes);
    }

    /// <summary>Holes must be whole blocks of the file system, and what becomes of the views of such a file is untested.</summary>
    internal override NativeResult Punch(long offset, long bytes) => NativePlatform.NoSuchCall;

    internal override NativeResult SyncData() => MacControl.Sync(Descriptor);

    /// <summary>The system has no such call.</summary>
    internal override NativeResult WriteOut(long offset, long bytes) => NativeResult.Success;

    /// <summary>The system has no such call.</summary>
    internal override void ForgetCached(long bytes)
    {
    }

    internal override NativeResult TryLock(bool exclusive)
    {
        if (exclusive && _isReadOnly)
        {
            return new NativeResult(Errno.BADF);
        }

        NativeResult result;
        do
        {
            result = MacLibC.Flock(Descriptor, (exclusive ? MacLibC.LockExclusive : MacLibC.LockShared) | MacLibC.LockDoNotWait) == 0
                ? NativeResult.Success
                : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        _isLocked |= !result.Failed;
        return result;
    }

    internal override NativeResult Query(out NativeFileFacts facts) => Query(Descriptor, out facts);

    internal static unsafe NativeResult Query(int descriptor, out NativeFileFacts facts)
    {
        facts = default;
        MacFileSystemStatus system;
        if (MacLibC.Fstatfs(descriptor, &system) != 0)
        {
            return NativeResult.Last();
        }

        NativeResult asked = MacStatusCall.OfDescriptor(descriptor, out MacFileStatus file);
        if (asked.Failed)
        {
            return asked;
        }

        facts = new NativeFileFacts(
            system.Type,
            system.BlockBytes,
            FileFacts.Bytes(system.Blocks, system.BlockBytes),
            FileFacts.Bytes(system.AvailableBlocks, system.BlockBytes),
            file.Device,
            (long)file.Inode,
            file.Links,
            0,
            0,
            string.Empty,
            string.Empty);
        return NativeResult.Success;
    }

    /// <summary>As on Linux, the lock is given back by name, for a child that is being started has a copy of the descriptor.</summary>
    internal override void Close()
    {
        if (_isLocked)
        {
            _ = MacLibC.Flock(Descriptor, MacLibC.LockRelease);
        }

        base.Close();
    }

    /// <summary>
    /// Refuses a directory, and, where writes are to be on the device when they return, a file system that cannot say so: better no
    /// database than one that only looks durable.
    /// </summary>
    private static NativeResult Judge(int descriptor, bool flushesWrites)
    {
        NativeResult asked = MacStatusCall.OfDescriptor(descriptor, out MacFileStatus status);
        if (asked.Failed)
        {
            return asked;
        }

        return status.IsDirectory ? new NativeResult(Errno.ISDIR)
            : flushesWrites ? MacControl.Sync(descriptor)
            : NativeResult.Success;
    }
}
