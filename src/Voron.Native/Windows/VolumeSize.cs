using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>FILE_FS_FULL_SIZE_INFORMATION.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct VolumeSize
{
    internal const int FullSize = 7;

    internal long TotalUnits;
    internal long AvailableUnits;
    internal long FreeUnits;
    internal uint SectorsPerUnit;
    internal uint BytesPerSector;
}
