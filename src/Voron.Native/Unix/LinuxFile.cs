namespace Voron.Native.Unix;

/// <summary>A file descriptor of Linux.</summary>
internal sealed unsafe class LinuxFile : UnixFile
{
    private bool _isLocked;

    private LinuxFile(int descriptor, bool isDirect)
        : base(descriptor, isDirect)
    {
    }

    /// <summary>A write with O_DSYNC is on the device when it returns: the kernel flushes the device for it.</summary>
    internal override bool FlushesWrites => false;

    internal static new NativeResult Open(NativeDirectory directory, string name, NativeFileOptions options, out SystemFile? file)
    {
        file = null;
        int flags = FlagsOf(options);
        NativeResult opened = OpenDescriptor(directory, name, flags, out int descriptor);
        if (opened.Code == Errno.INVAL && (flags & OpenFlags.Direct) != 0)
        {
            // This is how a file system without unbuffered transfers answers; what else is invalid fails again without the flag.
            flags &= ~OpenFlags.Direct;
            opened = OpenDescriptor(directory, name, flags, out descriptor);
        }

        if (opened.Failed)
        {
            return opened;
        }

        NativeResult judged = Judge(descriptor, (flags & OpenFlags.Direct) != 0, out bool isDirect);
        if (judged.Failed)
        {
            _ = LibC.Close(descriptor);
            return judged;
        }

        file = new LinuxFile(descriptor, isDirect);
        return NativeResult.Success;
    }

    internal override NativeResult Allocate(long bytes) => FileLength.Allocate(Descriptor, bytes);

    internal override NativeResult Punch(long offset, long bytes) => FileLength.Punch(Descriptor, offset, bytes);

    internal override NativeResult SyncData()
    {
        NativeResult result;
        do
        {
            result = LibC.Fdatasync(Descriptor) == 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        return result;
    }

    internal override NativeResult WriteOut(long offset, long bytes)
    {
        NativeResult result;
        do
        {
            result = LibC.SyncFileRange(Descriptor, offset, bytes, LibC.WriteAndWait) == 0
                ? NativeResult.Success
                : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        return result.Code == Errno.NOSYS ? NativeResult.Success : result;
    }

    /// <summary>An advice: where it is not taken the cache stays as it was.</summary>
    internal override void ForgetCached(long bytes) => _ = LibC.PosixFadvise(Descriptor, 0, bytes, LibC.DoNotNeed);

    internal override long FindCached(long offset, long end) =>
        GetLength(out long length).Failed ? -1 : ResidencyCall.Find(Descriptor, offset, Math.Min(length, end));

    internal override NativeResult TryLock(bool exclusive)
    {
        NativeResult result = SetLock(exclusive ? FileLock.Exclusive : FileLock.Shared);
        _isLocked |= !result.Failed;
        return result;
    }

    /// <summary>
    /// Slot 0 is all of the file that can have content, so that the lock of a whole file excludes its holder, and the other way round.
    /// </summary>
    internal override NativeResult TryLockSlot(int slot, bool exclusive)
    {
        FileLock wanted = SlotLock(slot, exclusive ? FileLock.Exclusive : FileLock.Shared);
        NativeResult result = Control(FileLock.TrySetOwnedByOpenFile, ref wanted);
        _isLocked |= !result.Failed;
        return result;
    }

    internal override NativeResult IsSlotLocked(int slot, out bool isLocked)
    {
        FileLock wanted = SlotLock(slot, FileLock.Shared);
        NativeResult result = Control(FileLock.FindOwnedByOpenFile, ref wanted);
        isLocked = !result.Failed && wanted.Type != FileLock.None;
        return result;
    }

    internal override int FindLockHolder() =>
        Status.OfDescriptor(Descriptor, out FileStatus status).Failed ? 0 : LockHolder.Find(status);

    internal override NativeResult Query(out NativeFileFacts facts) => FileFacts.Of(Descriptor, out facts);

    internal override void Close()
    {
        if (_isLocked)
        {
            // A child that is being started has a copy of the descriptor until it runs its program, and the copy would keep the lock.
            _ = SetLock(FileLock.None);
        }

        base.Close();
    }

    private NativeResult SetLock(short type)
    {
        FileLock wanted = default;
        wanted.Type = type;
        return Control(FileLock.TrySetOwnedByOpenFile, ref wanted);
    }

    private static FileLock SlotLock(int slot, short type)
    {
        const long BehindContent = 1L << 62;
        FileLock wanted = default;
        wanted.Type = type;
        (wanted.Start, wanted.Length) = slot == 0 ? (0L, BehindContent) : (BehindContent + slot, 1L);
        return wanted;
    }

    private NativeResult Control(int command, ref FileLock wanted)
    {
        NativeResult result;
        fixed (FileLock* pointer = &wanted)
        {
            do
            {
                result = LibC.Fcntl(Descriptor, command, (nint)pointer) == 0 ? NativeResult.Success : NativeResult.Last();
            }
            while (Retry.Interrupted(result));
        }

        return result;
    }

    private static int FlagsOf(NativeFileOptions options) =>
        OpenFlags.CloseOnExec
        | (options.HasFlag(NativeFileOptions.ReadOnly) ? OpenFlags.ReadOnly : OpenFlags.ReadWrite)
        | (options.HasFlag(NativeFileOptions.Create) ? OpenFlags.Create : 0)
        | (options.HasFlag(NativeFileOptions.Direct) ? OpenFlags.Direct : 0)
        | (options.HasFlag(NativeFileOptions.DataSync) ? OpenFlags.DataSync : 0);

    /// <summary>
    /// Refuses a directory, and gives up unbuffered transfers where the file system says it wants more than our alignment or none at all.
    /// </summary>
    private static NativeResult Judge(int descriptor, bool direct, out bool isDirect)
    {
        isDirect = direct;
        if (Status.OfDescriptor(descriptor, out FileStatus status).Failed)
        {
            // An old kernel or a sandbox without statx: the open itself is then the only answer there is.
            return NativeResult.Success;
        }

        if (status.IsDirectory)
        {
            return new NativeResult(Errno.ISDIR);
        }

        if (!direct || (status.Mask & FileStatus.WantDirectAlignment) == 0)
        {
            return NativeResult.Success;
        }

        // Zero means that the file system accepted the flag and goes through the cache all the same.
        isDirect = status.DirectOffsetAlignment is > 0 and <= NativeFile.DirectAlignmentBytes
            && status.DirectMemoryAlignment <= NativeFile.DirectAlignmentBytes;
        return isDirect || LibC.Fcntl(descriptor, OpenFlags.SetStatusFlags, 0) == 0 ? NativeResult.Success : NativeResult.Last();
    }
}
