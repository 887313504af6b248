namespace Voron.Native;

/// <summary>
/// Wishes about anonymous memory. They change its cost, never its content: a system that does not know one of them does without.
/// </summary>
[Flags]
public enum NativeMemoryOptions
{
    /// <summary>Plain memory, given by the system when it is first touched.</summary>
    None = 0,

    /// <summary>Ask for huge pages, and start on a 2 MiB boundary where it is as long as that.</summary>
    HugePages = 1,

    /// <summary>Fault everything in before the call returns, so that no later store pays for it.</summary>
    PreFault = 2,

    /// <summary>
    /// Keep it out of forked children. Needed for memory that unbuffered transfers go through: a fork during one makes the pages
    /// copy-on-write, and the bytes that the device delivers may then land in the child's copy.
    /// </summary>
    NotInChildren = 4,
}
