using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>sched_getattr(2) and sched_setattr(2), through syscall(2): older C libraries lack the functions.</summary>
internal static unsafe partial class ScheduleCalls
{
    [LibraryImport(LibC.Name, EntryPoint = "syscall", SetLastError = true)]
    internal static partial nint Get(nint number, nint thread, ScheduleAttributes* attributes, nint sizeBytes, nint flags);

    [LibraryImport(LibC.Name, EntryPoint = "syscall", SetLastError = true)]
    internal static partial nint Set(nint number, nint thread, ScheduleAttributes* attributes, nint flags);
}
