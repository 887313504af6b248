using System.Diagnostics;
using FluentAssertions;
using Voron.Native;
using Voron.Native.Unix;
using Voron.Storage.IO;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Storage.Tests.IO;

/// <summary>What is known to lose what was synced is told of at the open; what is not on the list is not.</summary>
public sealed class DurabilityDoubtTests
{
    private const string Rest = "rw,relatime,errors=remount-ro";

    [Theory]
    [InlineData(0xEF53, "ext4", Rest, 1, null)]
    [InlineData(0xEF53, "ext4", Rest, 2, "2 names")]
    [InlineData(0xEF53, "ext4", "rw,nobarrier", 1, "'nobarrier'")]
    [InlineData(0xEF53, "ext4", "rw,relatime,rw,barrier=0", 1, "'barrier=0'")]
    [InlineData(0xEF53, "ext4", "rw,relatime,rw,barrier=1", 1, null)]
    [InlineData(0xEF53, "", "", 1, null)]
    [InlineData(0x58465342, "xfs", Rest, 1, null)]
    [InlineData(0x9123683E, "btrfs", Rest, 1, null)]
    [InlineData(0x9123683E, "btrfs", "rw,nobarrier", 1, "'nobarrier'")]
    [InlineData(unchecked((int)0x9123683E), "btrfs", Rest, 1, null)]
    [InlineData(0x2FC12FC1, "zfs", Rest, 1, null)]
    [InlineData(0x01021994, "tmpfs", Rest, 1, "tmpfs")]
    [InlineData(0x858458F6, "ramfs", Rest, 1, "ramfs")]
    [InlineData(unchecked((int)0x858458F6), "ramfs", "", 1, "ramfs")]
    [InlineData(0x6969, "nfs4", Rest, 1, "network")]
    [InlineData(0xFF534D42, "cifs", Rest, 1, "network")]
    [InlineData(unchecked((int)0xFE534D42), "smb3", Rest, 1, "network")]
    [InlineData(0x01021997, "9p", Rest, 1, "network")]
    [InlineData(0x00C36400, "ceph", Rest, 1, "network")]
    [InlineData(0x65735546, "fuse.sshfs", Rest, 1, "fuse.sshfs")]
    [InlineData(0x65735546, "fuseblk", Rest, 1, null)]
    [InlineData(0x794C7630, "overlay", "rw,lowerdir=/a,upperdir=/volatile,workdir=/w", 1, null)]
    [InlineData(0x794C7630, "overlay", "rw,lowerdir=/a,upperdir=/b,workdir=/w,volatile", 1, "'volatile'")]
    [InlineData(0x794C7630, "overlay", "rw,lowerdir=/a,upperdir=/b,workdir=/w,uuid=on,fsync=volatile", 1, "volatile'")]
    [InlineData(0x5346544E, "", "", 1, null)]
    [InlineData(NativeFileFacts.RemoteFileSystem, "", "", 1, "network")]
    public void Reasons(long fileSystem, string mountType, string mountOptions, int links, string? reason)
    {
        string? doubt = DurabilityDoubt.Of(default(NativeFileFacts) with
        {
            FileSystemType = fileSystem, MountType = mountType, MountOptions = mountOptions, Links = links,
        });
        if (reason is null)
        {
            doubt.Should().BeNull();
        }
        else
        {
            doubt.Should().Contain(reason);
        }
    }

    [Fact]
    public void A_mount_is_found_by_its_number_or_its_device()
    {
        string[] table =
        [
            "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro",
            "22 21 0:5 / /tmp rw,nosuid master:2 propagate_from:1 - tmpfs tmpfs rw,size=10k",
            "23 21 8:1 /sub /with\\040space rw - ext4 /dev/sda1 rw,barrier=0",
            "24 21 0:6 / /short rw -",
        ];
        Mounts.Find(table, "23", "9:9").Should().Be(("ext4", "rw,rw,barrier=0"));
        Mounts.Find(table, "22", "8:1").Should().Be(("tmpfs", "rw,nosuid,rw,size=10k"));
        Mounts.Find(table, string.Empty, "8:1").Should().Be(("ext4", "rw,relatime,rw,errors=remount-ro"));
        Mounts.Find(table, "24", "0:6").Should().Be((string.Empty, string.Empty));
        Mounts.Find(table, "99", "8:1").Should().Be((string.Empty, string.Empty));
    }

    [Fact]
    public void Memory_below_a_database_is_told_of_once_and_only_when_it_is_opened_for_writing()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Directory.Exists("/dev/shm"), "needs a tmpfs");
        string folder = $"/dev/shm/voron-doubt-{Environment.ProcessId}";
        try
        {
            DoubtsAt(folder).Should().ContainSingle().Which.Should().Contain("tmpfs").And.Contain(folder);
            DoubtsAt(folder).Should().ContainSingle();
            DoubtsAt(folder, readOnly: true).Should().BeEmpty();
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public void A_second_name_of_the_data_file_and_a_journal_in_memory_are_told_of()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Directory.Exists("/dev/shm"), "needs a tmpfs");
        using TemporaryFolder folder = new();
        string elsewhere = $"/dev/shm/voron-journal-{Environment.ProcessId}";
        bool isOnDisk = DoubtsAt(folder.Path).Count == 0;
        Process.Start("ln", [Sample.Data(folder), Path.Combine(folder.Path, "second")]).WaitForExit();
        DoubtsAt(folder.Path).Should().ContainSingle().Which.Should().Contain("2 names");
        File.Delete(Path.Combine(folder.Path, "second"));
        Assert.SkipUnless(isOnDisk, "The temporary folder is in memory itself.");
        DoubtsAt(folder.Path).Should().BeEmpty();
        try
        {
            TemporaryFolder.Copy(Sample.Journal(folder), elsewhere);
            Directory.Delete(Sample.Journal(folder), recursive: true);
            Directory.CreateSymbolicLink(Sample.Journal(folder), elsewhere);
            DoubtsAt(folder.Path).Should().ContainSingle().Which.Should().Contain("tmpfs");
        }
        finally
        {
            Directory.Delete(elsewhere, recursive: true);
        }
    }

    [Fact]
    public void An_overlay_that_drops_syncs_is_told_of()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "needs root to mount");
        string folder = $"/dev/shm/voron-overlay-{Environment.ProcessId}";
        string merged = Path.Combine(folder, "merged");
        foreach (string part in (string[])["lower", "upper", "work", "merged"])
        {
            Directory.CreateDirectory(Path.Combine(folder, part));
        }

        try
        {
            string options = $"lowerdir={folder}/lower,upperdir={folder}/upper,workdir={folder}/work,volatile";
            Assert.SkipUnless(Run("mount", "-t", "overlay", "overlay", "-o", options, merged), "no volatile overlay can be mounted here");
            try
            {
                DoubtsAt(Path.Combine(merged, "db")).Should().ContainSingle().Which.Should().Contain("volatile'");
            }
            finally
            {
                Run("umount", merged).Should().BeTrue();
            }
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static bool Run(string program, params string[] arguments)
    {
        ProcessStartInfo start = new(program, arguments) { RedirectStandardError = true };
        using Process process = Process.Start(start)!;
        process.StandardError.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0;
    }

    private static List<string> DoubtsAt(string folder, bool readOnly = false)
    {
        List<string> doubts = [];
        StorageOptions options = new()
        {
            ReadOnly = readOnly,
            OnEvent = happened =>
            {
                if (happened.Kind == StorageEventKind.DurabilityDoubtful)
                {
                    doubts.Add(happened.Message);
                }
            },
        };
        using StorageEnvironment environment = StorageEnvironment.Open(folder, options);
        return doubts;
    }
}
