using FluentAssertions;
using Voron.Storage.IO;
using Xunit;

namespace Voron.Storage.Tests.IO;

/// <summary>The disk in memory.</summary>
public sealed class MemoryDiskTests : DiskTests
{
    private readonly MemoryDisk _disk = new();

    public MemoryDiskTests() => Succeed(_disk.CreateDirectory(Root));

    private protected override IDisk Disk => _disk;

    private protected override string Root => "/database";

    [Fact]
    public void Dispose_of_the_disk_closes_all()
    {
        IDiskFile file = Open("file", FileOpening.Create);
        Succeed(file.Write(0, [1]));
        _disk.Dispose();
        file.Invoking(f => f.Read(0, new byte[1], out _)).Should().Throw<ObjectDisposedException>();
        _disk.Invoking(d => d.OpenFile(At("file"), FileOpening.None, out _)).Should().Throw<ObjectDisposedException>();
        file.Dispose();
        _disk.Dispose();
    }

    [Fact]
    public void Native_memory_goes_back_with_the_last_user()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "There is no /proc here.");
        IDiskFile file = Open("file", FileOpening.Create);
        Succeed(file.Write(0, Pattern(100_000, 1)));
        Succeed(file.Map(100_000, out nint address));
        IsMapped(address).Should().BeTrue();
        Succeed(_disk.Delete(At("file")));
        IsMapped(address).Should().BeTrue("the file is still open");
        file.Dispose();
        IsMapped(address).Should().BeFalse();

        using IDiskFile other = Open("other", FileOpening.Create);
        Succeed(other.Map(0, out address));
        _disk.Dispose();
        IsMapped(address).Should().BeFalse();
    }

    [Fact]
    public void A_young_file_moves_when_it_outgrows_its_reservation_and_keeps_its_bytes()
    {
        using IDiskFile file = Open("file", FileOpening.Create);
        Succeed(file.Write(1000, Pattern(5000, 2)));
        Succeed(file.Write(200L << 20, Pattern(5000, 3)));
        byte[] bytes = new byte[5000];
        Succeed(file.Read(1000, bytes, out _));
        bytes.Should().Equal(Pattern(5000, 2));
        Succeed(file.Map((200L << 20) + 5000, out nint address));
        Succeed(file.Read(200L << 20, bytes, out _));
        bytes.Should().Equal(Pattern(5000, 3));
        Succeed(file.SetLength(1L << 30));
        Succeed(file.Map(1L << 30, out nint grown));
        grown.Should().Be(address);
    }

    private protected override void CleanUp() => _disk.Dispose();

    private static bool IsMapped(nint address)
    {
        foreach (string line in File.ReadLines("/proc/self/maps"))
        {
            string[] range = line[..line.IndexOf(' ', StringComparison.Ordinal)].Split('-');
            if (address >= Convert.ToInt64(range[0], 16) && address < (nint)Convert.ToUInt64(range[1], 16))
            {
                return true;
            }
        }

        return false;
    }
}
