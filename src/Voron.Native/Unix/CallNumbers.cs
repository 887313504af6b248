using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>Numbers of the system calls that go through syscall(2) on Linux.</summary>
/// <param name="Futex">futex(2).</param>
/// <param name="Status">statx(2).</param>
/// <param name="QueueSetup">io_setup(2).</param>
/// <param name="QueueDestroy">io_destroy(2).</param>
/// <param name="QueueSubmit">io_submit(2).</param>
/// <param name="QueueGetEvents">io_getevents(2).</param>
/// <param name="SetSchedule">sched_setattr(2).</param>
/// <param name="GetSchedule">sched_getattr(2).</param>
internal sealed record CallNumbers(
    nint Futex, nint Status, nint QueueSetup, nint QueueDestroy, nint QueueSubmit, nint QueueGetEvents, nint SetSchedule, nint GetSchedule)
{
    /// <summary>Those of the running processor.</summary>
    internal static CallNumbers Here { get; } = On(RuntimeInformation.ProcessArchitecture);

    internal static CallNumbers On(Architecture processor) => processor == Architecture.Arm64
        ? new(98, 291, 0, 1, 2, 4, 274, 275)
        : new(202, 332, 206, 207, 209, 208, 314, 315);
}
