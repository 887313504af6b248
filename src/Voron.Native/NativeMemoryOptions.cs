namespace Voron.Native;

/// <summary>Hints for anonymous memory. They change its cost, never its content; a system that does not support one ignores it.</summary>
[Flags]
public enum NativeMemoryOptions
{
    /// <summary>Plain memory, allocated by the system at the first touch.</summary>
    None = 0,

    /// <summary>Request huge pages and, if the memory is long enough, start it on a 2 MiB boundary.</summary>
    HugePages = 1,

    /// <summary>Fault in all pages before the call returns, so that later stores need not.</summary>
    PreFault = 2,

    /// <summary>
    /// Exclude the memory from forked children. Required for memory used by unbuffered transfers: a fork during a transfer makes the pages
    /// copy-on-write, and the bytes that the device delivers may then end up in the child's copy.
    /// </summary>
    NotInChildren = 4,
}
