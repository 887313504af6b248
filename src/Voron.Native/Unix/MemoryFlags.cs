namespace Voron.Native.Unix;

/// <summary>Protections, map flags and advice of mmap(2) and madvise(2).</summary>
internal static class MemoryFlags
{
    internal const int NoAccess = 0;
    internal const int Read = 1;
    internal const int Write = 2;

    internal const int Shared = 0x01;
    internal const int Private = 0x02;
    internal const int Fixed = 0x10;
    internal const int Anonymous = 0x20;

    /// <summary>No swap space is set aside, so a large reservation costs address space only.</summary>
    internal const int NoReserve = 0x4000;

    /// <summary>What mmap gives when it fails.</summary>
    internal const nint Failed = -1;

    internal const int AdviseDontNeed = 4;
    internal const int AdviseDontFork = 10;
    internal const int AdviseHugePage = 14;

    /// <summary>Linux 5.14; older kernels answer EINVAL.</summary>
    internal const int AdvisePopulateWrite = 23;
}
