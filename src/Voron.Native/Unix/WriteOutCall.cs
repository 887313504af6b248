using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>
/// sync_file_range(2): hands dirty pages of a range to the device and waits for it; neither metadata nor the device's cache.
/// </summary>
internal static partial class WriteOutCall
{
    /// <summary>SYNC_FILE_RANGE_WAIT_BEFORE, _WRITE and _WAIT_AFTER.</summary>
    internal const uint WriteAndWait = 1 | 2 | 4;

    [LibraryImport(LibC.Name, EntryPoint = "sync_file_range", SetLastError = true)]
    internal static partial int Invoke(int descriptor, long offset, long bytes, uint flags);
}
