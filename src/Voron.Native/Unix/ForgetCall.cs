using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>posix_fadvise(3). A length of 0 is the rest of the file.</summary>
internal static partial class ForgetCall
{
    /// <summary>POSIX_FADV_DONTNEED: clean pages that are not mapped leave the cache.</summary>
    internal const int DoNotNeed = 4;

    [LibraryImport(LibC.Name, EntryPoint = "posix_fadvise")]
    internal static partial int Invoke(int descriptor, long offset, long bytes, int advice);
}
