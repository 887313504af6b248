using System.Runtime.InteropServices;

namespace Voron.Bench.Raw;

/// <summary>Calls of Linux that .NET has no name for.</summary>
internal static partial class SystemCalls
{
    internal const int WaitForDevice = 4; // MS_SYNC
    internal const int DropFromCache = 4; // POSIX_FADV_DONTNEED
    internal const uint StartWriting = 2; // SYNC_FILE_RANGE_WRITE

    [LibraryImport("libc", EntryPoint = "msync", SetLastError = true)]
    internal static partial int SyncMemory(nint address, nint bytes, int flags);

    [LibraryImport("libc", EntryPoint = "posix_fadvise")]
    internal static partial int Advise(int descriptor, long offset, long bytes, int advice);

    [LibraryImport("libc", EntryPoint = "sync_file_range", SetLastError = true)]
    internal static partial int SyncRange(int descriptor, long offset, long bytes, uint flags);
}
