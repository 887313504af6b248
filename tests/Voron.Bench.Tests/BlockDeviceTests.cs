using FluentAssertions;
using Voron.Bench.Measuring;
using Xunit;

namespace Voron.Bench.Tests;

/// <summary>Which device's counters tell what was written to a folder, on invented systems and on this one.</summary>
public sealed class BlockDeviceTests : IDisposable
{
    private const string Root = "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw";

    private readonly string _system = Directory.CreateTempSubdirectory("voron-bench-tests-").FullName;

    private static string Folder => Path.GetTempPath();

    public void Dispose() => Directory.Delete(_system, recursive: true);

    [Fact]
    public void The_device_of_the_longest_mount_point_counts()
    {
        AddDevice("dev/block/254:0", sectors: 1);
        AddDevice("dev/block/254:1", sectors: 5);
        string inner = $"23 22 254:1 / {Folder.TrimEnd('/')} rw - ext4 /dev/vdb rw";
        Under(inner, Root, "24 22 254:0 / /somewhere/else rw - ext4 /dev/vdc rw")!.Name.Should().Be("254:1");
        Under(inner, Root)!.WrittenBytes.Should().Be(5 * 512, "sectors of the counters have 512 bytes on every device");
        Under(inner, Root)!.WrittenBytesByNow.Should().Be(5 * 512);
        Under(inner, Root)!.BytesRead.Should().Be(30 * 512);
        Under(Root)!.Name.Should().Be("254:0");
    }

    [Fact]
    public void A_mapped_device_that_counts_nothing_is_replaced_by_those_below_it()
    {
        AddDevice("dev/block/254:0", sectors: 0);
        AddDevice("dev/block/254:0/slaves/sda", sectors: 3);
        AddDevice("dev/block/254:0/slaves/sdb", sectors: 4);
        Under(Root)!.Name.Should().Be("sda+sdb");
        Under(Root)!.WrittenBytes.Should().Be(7 * 512);
    }

    [Fact]
    public void All_devices_of_a_file_system_without_a_device_number_count()
    {
        AddDevice("class/block/vda", sectors: 1);
        AddDevice("fs/btrfs/one/devices/vda", sectors: 2);
        AddDevice("fs/btrfs/one/devices/vdb", sectors: 4);
        AddDevice("fs/btrfs/another/devices/vdc", sectors: 8);
        Under("22 1 0:30 /root / rw - btrfs /dev/vda rw")!.WrittenBytes.Should().Be(6 * 512);
    }

    [Fact]
    public void A_partition_has_the_read_ahead_of_its_disk()
    {
        AddDevice("dev/block/254:0", sectors: 1);
        Under(Root)!.ReadAheadKibibytes.Should().BeNull();
        string queue = Directory.CreateDirectory(Path.Combine(_system, "dev/block/queue")).FullName;
        File.WriteAllText(Path.Combine(queue, "read_ahead_kb"), "128\n");
        Under(Root)!.ReadAheadKibibytes.Should().Be(128);
    }

    [Theory]
    [InlineData("22 1 0:30 / / rw - tmpfs tmpfs rw")]
    [InlineData("22 1 0:30 / / rw - overlay overlay rw")]
    [InlineData("22 1 0:30 / / rw - nfs4 server:/export rw")]
    public void Without_a_block_device_nothing_is_measured(string mount) => Under(mount).Should().BeNull();

    /// <summary>A page that is overwritten in memory is written once; the counter of the process has it every time.</summary>
    [Fact]
    public void What_is_written_and_synced_is_counted()
    {
        BlockDevice? device = BlockDevice.Under(_system);
        if (device is null)
        {
            Assert.Skip("no block device is known under the temporary folder");
        }

        byte[] bytes = new byte[4 << 20];
        new RandomBytes(1).Fill(bytes);
        long before = device.WrittenBytes;
        File.WriteAllBytes(Path.Combine(_system, "file"), bytes);
        (device.WrittenBytes - before).Should().BeGreaterThanOrEqualTo(bytes.Length);
    }

    private BlockDevice? Under(params string[] mounts) => BlockDevice.Under(Folder, mounts, _system);

    private void AddDevice(string path, long sectors)
    {
        string folder = Directory.CreateDirectory(Path.Combine(_system, path)).FullName;
        File.WriteAllText(Path.Combine(folder, "stat"), $"     10   2   30   4   50   6   {sectors}   8   0   10   11   0  0  0  0\n");
    }
}
