using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>
/// io_setup(2), io_destroy(2), io_submit(2) and io_getevents(2). The C library has no functions for them, so they go through syscall(2).
/// </summary>
internal static unsafe partial class QueueCalls
{
    internal static nint Setup(uint requests, nint* queue) => Setup(CallNumbers.Here.QueueSetup, (nint)requests, queue);

    internal static nint Destroy(nint queue) => Destroy(CallNumbers.Here.QueueDestroy, queue);

    internal static nint Submit(nint queue, QueueRequest** requests) => Submit(CallNumbers.Here.QueueSubmit, queue, 1, requests);

    /// <summary>Waits for one event without a limit.</summary>
    internal static nint GetEvent(nint queue, QueueEvent* events) => GetEvents(CallNumbers.Here.QueueGetEvents, queue, 1, 1, events, 0);

    [LibraryImport(LibC.Name, EntryPoint = "syscall", SetLastError = true)]
    private static partial nint Setup(nint number, nint requests, nint* queue);

    [LibraryImport(LibC.Name, EntryPoint = "syscall", SetLastError = true)]
    private static partial nint Destroy(nint number, nint queue);

    [LibraryImport(LibC.Name, EntryPoint = "syscall", SetLastError = true)]
    private static partial nint Submit(nint number, nint queue, nint count, QueueRequest** requests);

    [LibraryImport(LibC.Name, EntryPoint = "syscall", SetLastError = true)]
    private static partial nint GetEvents(nint number, nint queue, nint least, nint most, QueueEvent* events, nint timeout);
}
