namespace Voron.Native.Unix;

/// <summary>Protections and map flags of mmap(2), and the advice that Linux takes by madvise(2).</summary>
internal static class MemoryFlags
{
    internal const int NoAccess = 0;
    internal const int Read = 1;
    internal const int Write = 2;

    internal const int Shared = 0x01;
    internal const int Private = 0x02;
    internal const int Fixed = 0x10;

    private const int LinuxAnonymous = 0x20;
    private const int MacAnonymous = 0x1000;
    private const int LinuxNoReserve = 0x4000;
    private const int MacNoReserve = 0x40;

    /// <summary>What mmap gives when it fails.</summary>
    internal const nint Failed = -1;

    internal const int AdviseRandom = 1;
    internal const int AdviseWillNeed = 3;
    internal const int AdviseDontNeed = 4;
    internal const int AdviseDontFork = 10;
    internal const int AdviseHugePage = 14;

    /// <summary>Linux 5.14; older kernels answer EINVAL. EFAULT where a read would end the process.</summary>
    internal const int AdvisePopulateRead = 22;

    /// <summary>Linux 5.14; older kernels answer EINVAL.</summary>
    internal const int AdvisePopulateWrite = 23;

    internal static int Anonymous => AnonymousOn(OperatingSystem.IsMacOS());

    /// <summary>No swap space is set aside, so a large reservation costs address space only.</summary>
    internal static int NoReserve => NoReserveOn(OperatingSystem.IsMacOS());

    internal static int AnonymousOn(bool mac) => mac ? MacAnonymous : LinuxAnonymous;

    internal static int NoReserveOn(bool mac) => mac ? MacNoReserve : LinuxNoReserve;
}
