using FluentAssertions;
using Voron.Storage;

namespace Voron.Simulation.SelfTests;

/// <summary>Short words for the tests of the disk: every call must succeed unless the test says otherwise.</summary>
internal static class DiskFixture
{
    internal const string Directory = "/db";

    /// <summary>The folder's own name is the business of whoever made it.</summary>
    internal static SimDisk NewDisk(SimDiskOptions? options = null, ulong seed = 7)
    {
        var disk = new SimDisk(seed, options);
        disk.CreateDirectory(Directory).Failed.Should().BeFalse();
        disk.SyncDirectory("/").Failed.Should().BeFalse();
        return disk;
    }

    /// <summary>A new disk with the open file "a" on it.</summary>
    internal static (SimDisk Disk, IDiskFile File) NewFile(FileOpening opening = FileOpening.Create)
    {
        SimDisk disk = NewDisk();
        return (disk, disk.Open("a", opening));
    }

    /// <summary>The same, and the file's name is durable.</summary>
    internal static (SimDisk Disk, IDiskFile File) NewDurableFile(FileOpening opening = FileOpening.Create)
    {
        SimDisk disk = NewDisk();
        return (disk, disk.OpenDurable("a", opening));
    }

    internal static IDiskFile Open(this SimDisk disk, string name, FileOpening opening = FileOpening.Create)
    {
        IoError error = disk.OpenFile($"{Directory}/{name}", opening, out IDiskFile? file);
        error.Failed.Should().BeFalse();
        return file!;
    }

    internal static IDiskFile OpenDurable(this SimDisk disk, string name, FileOpening opening = FileOpening.Create)
    {
        IDiskFile file = disk.Open(name, opening);
        disk.SyncDirectory(Directory).Failed.Should().BeFalse();
        return file;
    }

    internal static void WriteByte(this IDiskFile file, long offset, int count, byte value)
    {
        byte[] bytes = new byte[count];
        bytes.AsSpan().Fill(value);
        file.Write(offset, bytes).Failed.Should().BeFalse();
    }

    internal static byte[]? PeekFile(this SimDisk disk, string name) => disk.Peek($"{Directory}/{name}");
}
