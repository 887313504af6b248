using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>struct flock. Start and length zero mean the whole file, whatever its length becomes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct FileLock
{
    internal const int FindOwnedByOpenFile = 36;
    internal const int TrySetOwnedByOpenFile = 37;
    internal const short Shared = 0;
    internal const short Exclusive = 1;
    internal const short None = 2;

    internal short Type;
    internal short Whence;
    internal long Start;
    internal long Length;

    /// <summary>Must be zero for locks owned by the open file.</summary>
    internal int ProcessId;
}
