using System.Text;

namespace Voron.Native.Windows;

/// <summary>What lies below an open file.</summary>
internal static unsafe class WindowsFacts
{
    private const int NameLetters = 64;

    /// <summary>FileRemoteProtocolInfo, and room for FILE_REMOTE_PROTOCOL_INFO, which grew with the systems.</summary>
    private const int RemoteProtocolClass = 13;
    private const int RemoteProtocolBytes = 256;

    internal static NativeResult Of(nint handle, out NativeFileFacts facts)
    {
        facts = default;
        FileIdentity identity;
        if (Kernel32.GetFileInformationByHandle(handle, &identity) == 0)
        {
            return NativeResult.Last();
        }

        VolumeSize size;
        nint* outcome = stackalloc nint[2];
        int status = NtDll.NtQueryVolumeInformationFile(handle, outcome, &size, (uint)sizeof(VolumeSize), VolumeSize.FullSize);
        if (status < 0)
        {
            return new NativeResult((int)NtDll.RtlNtStatusToDosError(status));
        }

        SectorSizes sectors = default;
        bool tells = Kernel32.GetFileInformationByHandleEx(handle, SectorSizes.Class, &sectors, (uint)sizeof(SectorSizes)) != 0;
        long blockBytes = (long)size.SectorsPerUnit * size.BytesPerSector;
        facts = new NativeFileFacts(
            IsRemote(handle) ? NativeFileFacts.RemoteFileSystem : NumberOfFileSystem(handle),
            blockBytes,
            Bytes(size.TotalUnits, blockBytes),
            Bytes(size.AvailableUnits, blockBytes),
            identity.VolumeSerial,
            ((long)identity.HighIndex << 32) | identity.LowIndex,
            (int)Math.Min(identity.Links, int.MaxValue),
            tells ? (int)sectors.LogicalBytes : 0,
            tells ? (int)sectors.LogicalBytes : 0,
            string.Empty,
            string.Empty);
        return NativeResult.Success;
    }

    /// <summary>The system gives this information of files that another machine serves, and of no others.</summary>
    private static bool IsRemote(nint handle)
    {
        byte* protocol = stackalloc byte[RemoteProtocolBytes];
        return Kernel32.GetFileInformationByHandleEx(handle, RemoteProtocolClass, protocol, RemoteProtocolBytes) != 0;
    }

    /// <summary>The first four letters of its name; 0 when it has none.</summary>
    private static long NumberOfFileSystem(nint handle)
    {
        char* name = stackalloc char[NameLetters];
        if (Kernel32.GetVolumeInformationByHandle(handle, 0, 0, 0, 0, 0, name, NameLetters) == 0)
        {
            return 0;
        }

        long number = 0;
        byte[] letters = Encoding.ASCII.GetBytes(new string(name));
        for (int i = 0; i < Math.Min(letters.Length, sizeof(int)); i++)
        {
            number |= (long)letters[i] << (8 * i);
        }

        return number;
    }

    private static long Bytes(long units, long unitBytes) => (long)UInt128.Min((UInt128)(ulong)units * (ulong)unitBytes, long.MaxValue);
}
