using System.Runtime.InteropServices;

namespace Voron.Native.Mac;

/// <summary>flock(2): the lock belongs to the open file, as those do that Linux is asked for by fcntl(2).</summary>
internal static partial class MacLockCall
{
    internal const int Shared = 1;
    internal const int Exclusive = 2;
    internal const int DoNotWait = 4;
    internal const int Release = 8;

    [LibraryImport(Unix.LibC.Name, EntryPoint = "flock", SetLastError = true)]
    internal static partial int Invoke(int descriptor, int operation);
}
