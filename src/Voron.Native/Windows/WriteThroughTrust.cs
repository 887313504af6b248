using System.Runtime.InteropServices;

namespace Voron.Native.Windows;

/// <summary>
/// Whether a device is known to keep what was written to it with write-through. The flag reaches it as "force unit access", which drivers
/// of ATA disks are known to drop. Known are devices that say that their cache is off, and those on NVMe that say that they support it:
/// there it is a bit of every write command. An unknown device is asked to empty its cache after each write.
/// </summary>
internal static unsafe class WriteThroughTrust
{
    private const uint QueryProperty = 0x2D_1400;
    private const int DeviceProperty = 0;
    private const int WriteCacheProperty = 4;
    private const int MaxLetters = 512;

    private const int BusTypeNvme = 17;
    private const int CacheDisabled = 1;
    private const int WriteThroughSupported = 2;

    /// <summary>True when the device below this path is known.</summary>
    internal static bool IsKnown(string systemPath)
    {
        nint device = OpenDeviceOf(systemPath);
        if (device == Kernel32.InvalidHandle)
        {
            return false;
        }

        try
        {
            DeviceCache cache = default;
            if (!Ask(device, WriteCacheProperty, &cache, (uint)sizeof(DeviceCache)))
            {
                return false;
            }

            DeviceDescriptor descriptor = default;
            return cache.Enabled == CacheDisabled
                || (cache.WriteThrough == WriteThroughSupported
                    && Ask(device, DeviceProperty, &descriptor, (uint)sizeof(DeviceDescriptor))
                    && descriptor.BusType == BusTypeNvme);
        }
        finally
        {
            _ = Kernel32.CloseHandle(device);
        }
    }

    private static bool Ask(nint device, int property, void* answer, uint bytes)
    {
        DeviceQuestion question = new() { Property = property };
        uint returned = 0;
        return Kernel32.DeviceIoControl(
                device, QueryProperty, &question, (uint)sizeof(DeviceQuestion), answer, bytes, &returned, 0) != 0
            && returned == bytes;
    }

    /// <summary>Opened with no rights at all, which is enough to ask, and which everybody may.</summary>
    private static nint OpenDeviceOf(string systemPath)
    {
        char* mount = stackalloc char[MaxLetters];
        char* volume = stackalloc char[MaxLetters];
        if (Kernel32.GetVolumePathName(systemPath, mount, MaxLetters) == 0
            || Kernel32.GetVolumeNameForVolumeMountPoint(new string(mount), volume, MaxLetters) == 0)
        {
            return Kernel32.InvalidHandle;
        }

        ReadOnlySpan<char> name = MemoryMarshal.CreateReadOnlySpanFromNullTerminated(volume).TrimEnd('\\');
        return Kernel32.CreateFile(name.ToString(), 0, OpenRights.ShareReadAndWrite, 0, OpenRights.OpenExisting, 0, 0);
    }
}
