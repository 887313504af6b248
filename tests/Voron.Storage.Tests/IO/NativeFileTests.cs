using System.Runtime.InteropServices;
using FluentAssertions;
using Voron.Native;
using Voron.Native.Unix;
using Voron.Native.Windows;
using Voron.Storage.IO;
using Xunit;

namespace Voron.Storage.Tests.IO;

/// <summary>Parts of the system-call layer that the disk does not show.</summary>
public sealed class NativeFileTests : IDisposable
{
    private readonly string _path = Path.Combine(Path.GetTempPath(), "voron-native-" + Guid.NewGuid().ToString("N"));

    [Fact]
    public void Facts_name_the_file_and_its_file_system()
    {
        NativeFile.Open(_path, NativeFileOptions.Create, out NativeFile? file).Should().Be(NativeResult.Success);
        NativeFile.Open(_path, NativeFileOptions.ReadOnly, out NativeFile? again).Should().Be(NativeResult.Success);
        using (file)
        using (again)
        {
            file!.Query(out NativeFileFacts facts).Should().Be(NativeResult.Success);
            again!.Query(out NativeFileFacts same).Should().Be(NativeResult.Success);
            facts.FileSystemType.Should().NotBe(0);
            facts.BlockBytes.Should().BeInRange(512, 1 << 24);
            facts.TotalBytes.Should().BeGreaterThanOrEqualTo(facts.AvailableBytes);
            facts.TotalBytes.Should().Be(new DriveInfo(Path.GetTempPath()).TotalSize);
            facts.Links.Should().Be(1);
            facts.Inode.Should().NotBe(0);
            (same.Device, same.Inode).Should().Be((facts.Device, facts.Inode));
        }
    }

    [Fact]
    public void What_another_opening_has_mapped_stays_in_the_cache()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Other systems do not tell.");
        byte[] bytes = new byte[8 * NativePlatform.PageBytes];
        NativeFile.Open(_path, NativeFileOptions.Create, out NativeFile? file).Should().Be(NativeResult.Success);
        NativeFile.Open(_path, NativeFileOptions.ReadOnly, out NativeFile? other).Should().Be(NativeResult.Success);
        using (file)
        using (other)
        {
            file!.Write(0, bytes).Should().Be(NativeResult.Success);
            file.SyncData().Should().Be(NativeResult.Success);
            file.FindCached(NativePlatform.PageBytes + 1, long.MaxValue).Should().Be(NativePlatform.PageBytes);
            file.FindCached(bytes.Length, long.MaxValue).Should().Be(-1);
            file.FindCached(NativePlatform.PageBytes, NativePlatform.PageBytes).Should().Be(-1, "the range is empty");
            using (NativeMapping mapping = new(other!))
            {
                mapping.Map(bytes.Length, out nint address).Should().Be(NativeResult.Success);
                Marshal.ReadByte(address + (3 * NativePlatform.PageBytes)).Should().Be(0);
                file.ForgetCached(long.MaxValue);
                file.FindCached(3 * NativePlatform.PageBytes, long.MaxValue).Should().Be(3 * NativePlatform.PageBytes);
            }

            NativeDisk disk = new();
            disk.OpenFile(_path, FileOpening.None, out IDiskFile? again).Should().Be(IoError.Success);
            using (again)
            {
                again!.ForgetCached(long.MaxValue, out bool isKnown).Should().Be(-1, "the device has the same");
                isKnown.Should().BeTrue();
            }
        }
    }

    [Fact]
    public void What_left_memory_is_read_ahead()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Other systems do not tell.");
        const int Pages = 200;
        byte[] bytes = new byte[Pages * NativePlatform.PageBytes];
        new Random(1).NextBytes(bytes);
        NativeFile.Open(_path, NativeFileOptions.Create, out NativeFile? file).Should().Be(NativeResult.Success);
        using (file)
        using (NativeMapping mapping = new(file!))
        {
            file!.Write(0, bytes).Should().Be(NativeResult.Success);
            file.SyncData().Should().Be(NativeResult.Success);
            mapping.ExpectRandomReads();
            mapping.IsInMemory(0, bytes.Length).Should().BeTrue("nothing is mapped yet");
            mapping.Map(bytes.Length, out nint address).Should().Be(NativeResult.Success);
            mapping.IsInMemory(0, bytes.Length).Should().BeTrue("it has just been written");
            file.ForgetCached(long.MaxValue);
            Marshal.ReadByte(address).Should().Be(bytes[0]);
            mapping.IsInMemory(0, 1).Should().BeTrue();
            mapping.IsInMemory(NativePlatform.PageBytes, 1).Should().BeFalse("the system was told not to read around a touch");
            mapping.IsInMemory(0, bytes.Length).Should().BeFalse();
            mapping.ReadAhead(NativePlatform.PageBytes, bytes.Length - NativePlatform.PageBytes);
            SpinWait.SpinUntil(() => mapping.IsInMemory(0, bytes.Length), TimeSpan.FromMinutes(1)).Should().BeTrue();
            byte[] seen = new byte[bytes.Length];
            Marshal.Copy(address, seen, 0, seen.Length);
            seen.Should().Equal(bytes);
        }
    }

    [Fact]
    public void Results_speak_the_words_of_the_system()
    {
        (int code, string words) = OperatingSystem.IsWindows()
            ? (WindowsError.FileNotFound, "ile not found")
            : (Errno.NOENT, "No such file");
        NativeFile.Open(_path, NativeFileOptions.None, out NativeFile? file).Code.Should().Be(code);
        file.Should().BeNull();
        new NativeResult(code).ToString().Should().Contain(words);
        NativeResult.Success.ToString().Should().Be("success");
    }

    [Fact]
    public void An_old_view_stays_when_the_view_outgrows_its_reservation()
    {
        NativeFile.Open(_path, NativeFileOptions.Create, out NativeFile? file).Should().Be(NativeResult.Success);
        using (file)
        using (NativeMapping mapping = new(file!))
        {
            file!.Write(0, [1, 2, 3]);
            mapping.Map(3, out nint first).Should().Be(NativeResult.Success);

            // A sparse file: only its length is large.
            file.SetLength(3L << 30).Should().Be(NativeResult.Success);
            mapping.Map(3L << 30, out nint second).Should().Be(NativeResult.Success);
            second.Should().NotBe(first);
            file.Write(1, [9]);
            Marshal.ReadByte(first, 1).Should().Be(9);
            Marshal.ReadByte(second, 1).Should().Be(9);
            Marshal.ReadByte((nint)(second + (3L << 30) - 1)).Should().Be(0);
        }
    }

    [Fact]
    public void A_file_that_nobody_disposed_gives_its_lock_back()
    {
        Abandon(_path);
        NativeFile.Open(_path, NativeFileOptions.None, out NativeFile? file).Should().Be(NativeResult.Success);
        using (file)
        {
            for (int attempt = 0; attempt < 50 && file!.TryLock(exclusive: true).Failed; attempt++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }

            file!.TryLock(exclusive: true).Should().Be(NativeResult.Success);
        }
    }

    public void Dispose() => File.Delete(_path);

    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
    private static void Abandon(string path)
    {
        NativeFile.Open(path, NativeFileOptions.Create, out NativeFile? file).Should().Be(NativeResult.Success);
        file!.TryLock(exclusive: true).Should().Be(NativeResult.Success);
    }
}
