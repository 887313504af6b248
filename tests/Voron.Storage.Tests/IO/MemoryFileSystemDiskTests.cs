using FluentAssertions;
using Voron.Storage.IO;
using Xunit;

namespace Voron.Storage.Tests.IO;

/// <summary>
/// The disk of the operating system on tmpfs, which has its own ideas of unbuffered access; without /dev/shm once more in the temporary
/// folder.
/// </summary>
public sealed class MemoryFileSystemDiskTests : NativeDiskTests
{
    private static readonly string Folder = OperatingSystem.IsLinux() && Directory.Exists("/dev/shm") ? "/dev/shm" : Path.GetTempPath();

    public MemoryFileSystemDiskTests()
        : base(Folder)
    {
    }

    [Fact]
    public void Unbuffered_wishes_work_whether_the_file_system_grants_them_or_not()
    {
        using IDiskFile file = Open("file", FileOpening.Create | FileOpening.Unbuffered);
        using AlignedBuffer buffer = AlignedBuffer.Allocate(4096);
        buffer.Span.Fill(7);
        Succeed(file.Write(0, buffer.Span));
        Succeed(file.GetLength(out long length));
        length.Should().Be(4096);
        file.Invoking(f => f.Write(0, new byte[10])).Should().Throw<ArgumentException>("tmpfs itself would accept this one");
    }
}
