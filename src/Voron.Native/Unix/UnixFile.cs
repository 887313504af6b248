namespace Voron.Native.Unix;

/// <summary>A file descriptor.</summary>
internal sealed unsafe class UnixFile(int descriptor, bool isDirect) : SystemFile
{
    private const uint ModeOfNewFiles = 0x1A4; // 0644

    internal int Descriptor => descriptor;

    internal override bool IsDirect => isDirect;

    internal static new NativeResult Open(string path, NativeFileOptions options, out SystemFile? file)
    {
        file = null;
        int flags = FlagsOf(options);
        NativeResult opened = OpenDescriptor(path, flags, out int descriptor);
        if (opened.Code == Errno.INVAL && (flags & OpenFlags.Direct) != 0)
        {
            // This is how a file system without unbuffered transfers answers; what else is invalid fails again without the flag.
            flags &= ~OpenFlags.Direct;
            opened = OpenDescriptor(path, flags, out descriptor);
        }

        if (opened.Failed)
        {
            return opened;
        }

        NativeResult judged = Judge(descriptor, (flags & OpenFlags.Direct) != 0, out bool isDirect);
        if (judged.Failed)
        {
            _ = CloseCall.Invoke(descriptor);
            return judged;
        }

        file = new UnixFile(descriptor, isDirect);
        return NativeResult.Success;
    }

    internal override NativeResult Read(byte* pointer, int bytes, long offset, out int read) =>
        Transfers.ReadAll(descriptor, pointer, bytes, offset, isDirect, out read);

    internal override NativeResult Write(byte* pointer, int bytes, long offset) =>
        Transfers.WriteAll(descriptor, pointer, bytes, offset, isDirect);

    internal override NativeResult GetLength(out long bytes) => FileLength.Get(descriptor, out bytes);

    internal override NativeResult SetLength(long bytes) => FileLength.Set(descriptor, bytes);

    internal override NativeResult Allocate(long bytes) => FileLength.Allocate(descriptor, bytes);

    internal override NativeResult Punch(long offset, long bytes) => FileLength.Punch(descriptor, offset, bytes);

    internal override NativeResult SyncData()
    {
        NativeResult result;
        do
        {
            result = DataSyncCall.Invoke(descriptor) == 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        return result;
    }

    internal override NativeResult WriteOut(long offset, long bytes)
    {
        if (!OperatingSystem.IsLinux())
        {
            return NativeResult.Success;
        }

        NativeResult result;
        do
        {
            result = WriteOutCall.Invoke(descriptor, offset, bytes, WriteOutCall.WriteAndWait) == 0
                ? NativeResult.Success
                : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        return result.Code == Errno.NOSYS ? NativeResult.Success : result;
    }

    internal override NativeResult TryLock(bool exclusive)
    {
        FileLock wanted = default;
        wanted.Type = exclusive ? FileLock.Exclusive : FileLock.Shared;
        NativeResult result;
        do
        {
            result = ControlCall.Invoke(descriptor, FileLock.TrySetOwnedByOpenFile, (nint)(&wanted)) == 0
                ? NativeResult.Success
                : NativeResult.Last();
        }
        while (Retry.Interrupted(result));
        return result;
    }

    internal override NativeResult Query(out NativeFileFacts facts) => FileFacts.Of(descriptor, out facts);

    /// <summary>
    /// The result says nothing of use: what matters was synced before, and Linux has freed the descriptor in any case.
    /// </summary>
    internal override void Close() => _ = CloseCall.Invoke(descriptor);

    private static int FlagsOf(NativeFileOptions options) =>
        OpenFlags.CloseOnExec
        | (options.HasFlag(NativeFileOptions.ReadOnly) ? OpenFlags.ReadOnly : OpenFlags.ReadWrite)
        | (options.HasFlag(NativeFileOptions.Create) ? OpenFlags.Create : 0)
        | (options.HasFlag(NativeFileOptions.Direct) ? OpenFlags.Direct : 0)
        | (options.HasFlag(NativeFileOptions.DataSync) ? OpenFlags.DataSync : 0);

    private static NativeResult OpenDescriptor(string path, int flags, out int descriptor)
    {
        int attempts = 0;
        NativeResult result;
        do
        {
            descriptor = OpenCall.Invoke(path, flags, ModeOfNewFiles);
            result = descriptor >= 0 ? NativeResult.Success : NativeResult.Last();
        }
        while (Retry.InterruptedOrBusy(result, ref attempts));
        return result;
    }

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
        return isDirect || ControlCall.Invoke(descriptor, OpenFlags.SetStatusFlags, 0) == 0 ? NativeResult.Success : NativeResult.Last();
    }
}
