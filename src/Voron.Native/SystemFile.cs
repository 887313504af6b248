namespace Voron.Native;

/// <summary>
/// An open file of one system; each system has its own class. Callers have entered the file's gate, so no call comes after
/// <see cref="Close"/>, and have checked the arguments. A transfer either completes or fails.
/// </summary>
internal abstract unsafe class SystemFile
{
    /// <summary>See <see cref="NativeFile.IsDirect"/>.</summary>
    internal abstract bool IsDirect { get; }

    /// <summary>See <see cref="NativeFile.FlushesWrites"/>.</summary>
    internal abstract bool FlushesWrites { get; }

    /// <summary>Opens a file with the calls of the running system.</summary>
    internal static NativeResult Open(
        NativeDirectory directory, string name, NativeFileOptions options, out SystemFile? file) => OperatingSystem.IsWindows()
        ? Windows.WindowsFile.Open(directory, name, options, out file)
        : OperatingSystem.IsMacOS() ? Mac.MacFile.Open(directory, name, options, out file)
        : Unix.LinuxFile.Open(directory, name, options, out file);

    internal abstract NativeResult Read(byte* pointer, int bytes, long offset, out int read);

    internal abstract NativeResult Write(byte* pointer, int bytes, long offset);

    internal abstract NativeResult GetLength(out long bytes);

    internal abstract NativeResult SetLength(long bytes);

    internal abstract NativeResult Allocate(long bytes);

    internal abstract NativeResult Punch(long offset, long bytes);

    internal abstract NativeResult SyncData();

    internal abstract NativeResult WriteOut(long offset, long bytes);

    internal abstract void ForgetCached(long bytes);

    /// <summary>
    /// Returns the offset of the first cached page at or after this offset; −1 if there is none or the system does not tell.
    /// </summary>
    internal virtual long FindCached(long offset, long end) => -1;

    internal abstract NativeResult TryLock(bool exclusive);

    internal virtual NativeResult TryLockSlot(int slot, bool exclusive) => NativePlatform.NoSuchCall;

    internal virtual NativeResult IsSlotLocked(int slot, out bool isLocked)
    {
        isLocked = false;
        return NativePlatform.NoSuchCall;
    }

    internal virtual int FindLockHolder() => 0;

    internal abstract NativeResult Query(out NativeFileFacts facts);

    internal abstract void Close();
}
