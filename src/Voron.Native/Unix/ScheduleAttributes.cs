using System.Runtime.InteropServices;

namespace Voron.Native.Unix;

/// <summary>struct sched_attr, as Linux first had it.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct ScheduleAttributes
{
    /// <summary>SCHED_OTHER, the policy of threads that asked for nothing else.</summary>
    internal const uint Ordinary = 0;

    internal uint SizeBytes;
    internal uint Policy;
    internal ulong Flags;
    internal int Nice;
    internal uint Priority;

    /// <summary>Of ordinary threads the time slice in nanoseconds, since Linux 6.12; ignored before.</summary>
    internal ulong Runtime;

    internal ulong Deadline;
    internal ulong Period;
}
