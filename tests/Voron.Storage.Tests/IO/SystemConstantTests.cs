using System.Reflection;
using System.Runtime.InteropServices;
using FluentAssertions;
using Voron.Native.Mac;
using Voron.Native.Unix;
using Xunit;

namespace Voron.Storage.Tests.IO;

/// <summary>
/// Numbers and layouts of each system and processor, as they stand in that system's headers; most of them are never used where these tests
/// run. The headers are named beside the numbers.
/// </summary>
public sealed class SystemConstantTests
{
    /// <summary>asm/unistd_64.h for x64, asm-generic/unistd.h for arm64.</summary>
    [Theory]
    [InlineData(Architecture.X64, 202, 332, 206, 207, 209, 208, 314, 315)]
    [InlineData(Architecture.Arm64, 98, 291, 0, 1, 2, 4, 274, 275)]
    public void Call_numbers_of_Linux(
        Architecture processor, int futex, int statx, int setup, int destroy, int submit, int events, int setSchedule, int getSchedule) =>
        CallNumbers.On(processor).Should().Be(
            new CallNumbers(futex, statx, setup, destroy, submit, events, setSchedule, getSchedule));

    /// <summary>asm-generic/fcntl.h, and asm/fcntl.h of arm64, where two flags have each other's value.</summary>
    [Theory]
    [InlineData(Architecture.X64, 0x4000, 0x10000)]
    [InlineData(Architecture.Arm64, 0x10000, 0x4000)]
    public void Flags_of_open_on_Linux(Architecture processor, int direct, int directory)
    {
        OpenFlags.DirectOn(processor).Should().Be(direct);
        OpenFlags.DirectoryOn(processor).Should().Be(directory);
        (OpenFlags.ReadOnly, OpenFlags.ReadWrite, OpenFlags.Create).Should().Be((0, 2, 0x40));
        (OpenFlags.DataSync, OpenFlags.CloseOnExec, OpenFlags.PathOnly).Should().Be((0x1000, 0x80000, 0x200000));
        (FileLock.TrySetOwnedByOpenFile, FileLock.Shared, FileLock.Exclusive, FileLock.None).Should().Be((37, 0, 1, 2));
    }

    /// <summary>sys/fcntl.h of macOS.</summary>
    [Fact]
    public void Flags_and_commands_of_files_on_macOS()
    {
        (MacOpenFlags.ReadOnly, MacOpenFlags.ReadWrite, MacOpenFlags.Create).Should().Be((0, 2, 0x200));
        (MacOpenFlags.Directory, MacOpenFlags.CloseOnExec).Should().Be((0x100000, 0x1000000));
        (MacControl.Preallocate, MacControl.NoCache, MacControl.FullSync).Should().Be((42, 48, 51));
        (MacSpaceRequest.All, MacSpaceRequest.BehindEnd).Should().Be((4u, 3));
        (MacLibC.LockShared, MacLibC.LockExclusive, MacLibC.LockDoNotWait, MacLibC.LockRelease).Should().Be((1, 2, 4, 8));
    }

    /// <summary>asm-generic/mman-common.h of Linux, sys/mman.h of macOS.</summary>
    [Fact]
    public void Flags_of_mmap()
    {
        (MemoryFlags.NoAccess, MemoryFlags.Read, MemoryFlags.Write).Should().Be((0, 1, 2));
        (MemoryFlags.Shared, MemoryFlags.Private, MemoryFlags.Fixed).Should().Be((1, 2, 0x10));
        (MemoryFlags.AnonymousOn(mac: false), MemoryFlags.NoReserveOn(mac: false)).Should().Be((0x20, 0x4000));
        (MemoryFlags.AnonymousOn(mac: true), MemoryFlags.NoReserveOn(mac: true)).Should().Be((0x1000, 0x40));
    }

    /// <summary>
    /// Linux: linux/stat.h, linux/sched/types.h, asm-generic/statfs.h, asm-generic/fcntl.h and dirent.h, which glibc and musl have alike.
    /// </summary>
    [Fact]
    public void Structures_of_Linux()
    {
        Layout<FileStatus>().Should().Be(
            "256: Mask 0, Links 16, Mode 28, Inode 32, DeviceMajor 136, DeviceMinor 140, Mount 144, "
            + "DirectMemoryAlignment 152, DirectOffsetAlignment 156");
        Layout<FileSystemStatus>().Should().Be("120: Type 0, BlockBytes 8, Blocks 16, AvailableBlocks 32");
        Layout<ScheduleAttributes>().Should().Be(
            "48: SizeBytes 0, Policy 4, Flags 8, Nice 16, Priority 20, Runtime 24, Deadline 32, Period 40");
        Layout<FileLock>().Should().Be("32: Type 0, Whence 2, Start 8, Length 16, ProcessId 24");
        Layout<DirectoryEntry>().Should().Be("24: Inode 0, Next 8, RecordBytes 16, Type 18");
        DirectoryEntry.NameOffset.Should().Be(19);
    }

    /// <summary>macOS: sys/stat.h, sys/mount.h, sys/dirent.h and sys/fcntl.h, each with inode numbers of 64 bits.</summary>
    [Fact]
    public void Structures_of_macOS()
    {
        Layout<MacFileStatus>().Should().Be("144: Device 0, Mode 4, Links 6, Inode 8");
        Layout<MacFileSystemStatus>().Should().Be("2168: BlockBytes 0, Blocks 8, AvailableBlocks 24, Type 60");
        Layout<MacDirectoryEntry>().Should().Be("24: Inode 0, Type 20");
        MacDirectoryEntry.NameOffset.Should().Be(21);
        Layout<MacSpaceRequest>().Should().Be("32: Flags 0, Position 4, Offset 8, Bytes 16, SetAsideBytes 24");
    }

    /// <summary>sys/errno.h of macOS. What has a name keeps it, and a number never gets the name that Linux has for it.</summary>
    [Fact]
    public void Codes_of_macOS_get_the_numbers_of_their_names()
    {
        (int System, int Named)[] moved =
        [
            (35, Errno.AGAIN), (45, Errno.OPNOTSUPP), (102, Errno.OPNOTSUPP), (60, Errno.TIMEDOUT), (62, Errno.LOOP),
            (63, Errno.NAMETOOLONG), (66, Errno.NOTEMPTY), (69, Errno.DQUOT), (77, Errno.NOLCK), (78, Errno.NOSYS),
        ];
        int[] names = [.. typeof(Errno).GetFields().Select(static field => (int)field.GetRawConstantValue()!)];
        for (int code = 0; code <= 106; code++)
        {
            int named = MacErrno.ToNamed(code);
            if (moved.Any(pair => pair.System == code))
            {
                named.Should().Be(moved.Single(pair => pair.System == code).Named);
            }
            else
            {
                bool isShared = code <= 34 && code != 11;
                named.Should().Be(isShared ? code : 1000 + code);
                (isShared || !names.Contains(named)).Should().BeTrue();
            }

            MacErrno.ToSystem(named).Should().Be(code == 102 ? 45 : code);
        }

        names.Where(static name => name > 34 || name == 11).Should().BeSubsetOf(moved.Select(static pair => pair.Named));
    }

    private static string Layout<T>()
        where T : unmanaged => $"{Marshal.SizeOf<T>()}: " + string.Join(", ", typeof(T)
            .GetFields(BindingFlags.Instance | BindingFlags.NonPublic)
            .Select(static field => $"{field.Name} {Marshal.OffsetOf<T>(field.Name)}"));
}
