using FluentAssertions;
using Voron.Storage;
using Voron.Storage.Platform;

namespace Voron.Simulation.SelfTests;

/// <summary>Short words for the tests of the disk: every call must succeed unless the test says otherwise.</summary>
internal static class DiskFixture
{
    internal const string Directory = "/db";

    internal static SimDisk NewDisk(SimDiskOptions? options = null)
    {
        var disk = new SimDisk(7, options);
        disk.CreateDirectory(Directory).Failed.Should().BeFalse();
        disk.SyncDirectory("/").Failed.Should().BeFalse();
        return disk;
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
