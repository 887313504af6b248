using System.Runtime.InteropServices;
using FluentAssertions;
using Xunit;

namespace Voron.Storage.Tests.IO;

/// <summary>A disk with an empty folder on it, and what the tests of all disks need to say little.</summary>
public abstract class DiskFixture : IDisposable
{
    private bool _isDisposed;

    private protected abstract IDisk Disk { get; }

    private protected abstract string Root { get; }

    public void Dispose()
    {
        if (!_isDisposed)
        {
            _isDisposed = true;
            CleanUp();
        }

        GC.SuppressFinalize(this);
    }

    private protected abstract void CleanUp();

    private protected static void Succeed(IoError error) => error.Should().Be(IoError.Success);

    private protected static byte[] Pattern(int length, int seed)
    {
        byte[] bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    private protected string At(string name) => Root + "/" + name;

    private protected IDiskFile Open(string name, FileOpening opening)
    {
        Succeed(Disk.OpenFile(At(name), opening, out IDiskFile? file));
        file!.Path.Should().Be(At(name));
        return file;
    }

    private protected static byte[] Mapped(nint address, long offset, int length)
    {
        byte[] bytes = new byte[length];
        Marshal.Copy(address + (nint)offset, bytes, 0, length);
        return bytes;
    }

    private protected static byte FirstByte(IDiskFile file)
    {
        byte[] one = new byte[1];
        Succeed(file.Read(0, one, out int read));
        read.Should().Be(1);
        return one[0];
    }
}
