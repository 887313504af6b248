using FluentAssertions;
using Voron.Storage.IO;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.IO;

/// <summary>The disk of the operating system, in the system's folder for temporary files.</summary>
public class NativeDiskTests : DiskTests
{
    private readonly string _root;

    public NativeDiskTests()
        : this(Path.GetTempPath())
    {
    }

    private protected NativeDiskTests(string folder)
    {
        _root = Path.Combine(folder, "voron-disk-" + Guid.NewGuid().ToString("N"));
        Succeed(Disk.CreateDirectory(_root));
    }

    private protected override IDisk Disk { get; } = new NativeDisk();

    private protected override string Root => _root;

    [Fact]
    public void New_files_and_folders_are_writable_by_their_owner_only()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "There are no mode bits on Windows.");
        using IDiskFile file = Open("file", FileOpening.Create);
        Succeed(Disk.CreateDirectory(At("folder")));
        const UnixFileMode Others = UnixFileMode.GroupWrite | UnixFileMode.OtherWrite;
#pragma warning disable CA1416 // The test is skipped above where there are no modes.
        UnixFileMode mode = File.GetUnixFileMode(At("file"));
        mode.Should().HaveFlag(UnixFileMode.UserRead | UnixFileMode.UserWrite);
        (mode & (Others | UnixFileMode.UserExecute)).Should().Be(UnixFileMode.None);
        UnixFileMode folder = File.GetUnixFileMode(At("folder"));
#pragma warning restore CA1416
        folder.Should().HaveFlag(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        (folder & Others).Should().Be(UnixFileMode.None);
    }

    [Fact]
    public void A_symbolic_link_is_listed_by_what_it_leads_to()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Symbolic links need a privilege on Windows.");
        Open("file", FileOpening.Create).Dispose();
        Succeed(Disk.CreateDirectory(At("folder")));
        File.CreateSymbolicLink(At("to-file"), At("file"));
        File.CreateSymbolicLink(At("to-folder"), At("folder"));
        List<string> names = [];
        Succeed(Disk.ListFiles(Root, names));
        names.Should().BeEquivalentTo("file", "to-file");
        File.CreateSymbolicLink(At("loop"), At("loop"));
        Disk.OpenFile(At("loop"), FileOpening.None, out _).Kind.Should().Be(IoErrorKind.InvalidPath);
    }

    [Fact]
    public void A_lock_is_found_through_a_link_to_the_same_file()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Symbolic links need a privilege on Windows.");
        using IDiskFile file = Open("file", FileOpening.Create);
        Succeed(file.TryLock(exclusive: true));
        File.CreateSymbolicLink(At("link"), At("file"));
        using IDiskFile link = Open("link", FileOpening.None);
        link.TryLock(exclusive: true).Kind.Should().Be(IoErrorKind.Locked);
    }

    [Fact]
    public void A_full_device_is_disk_full()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && File.Exists("/dev/full"), "There is no /dev/full here.");
        Succeed(Disk.OpenFile("/dev/full", FileOpening.None, out IDiskFile? file));
        using (file)
        {
            file!.Write(0, new byte[10]).Kind.Should().Be(IoErrorKind.DiskFull);
        }
    }

    [Fact]
    public void A_file_system_that_refuses_unbuffered_access_is_used_through_the_cache_and_alignment_is_still_ours()
    {
        const string Path = "/proc/version";
        Assert.SkipUnless(OperatingSystem.IsLinux() && File.Exists(Path), "There is no /proc here.");
        Succeed(Disk.OpenFile(Path, FileOpening.ReadOnly | FileOpening.Unbuffered, out IDiskFile? file));
        using (file)
        {
            file!.IsUnbuffered.Should().BeFalse();
            using AlignedBuffer buffer = AlignedBuffer.Allocate(4096);
            Succeed(file.Read(0, buffer.Span, out int read));
            read.Should().BePositive();
            file.Invoking(f => f.Read(0, new byte[100], out _)).Should().Throw<ArgumentException>();
        }
    }

    /// <summary>What a virus scanner or a backup program does on Windows; on Unix nobody is asked.</summary>
    [Fact]
    public void A_file_that_another_program_does_not_share_is_locked_until_it_lets_go()
    {
        Open("held", FileOpening.Create).Dispose();
        using (File.Open(At("held"), FileMode.Open, FileAccess.ReadWrite, FileShare.None))
        {
            IoError opened = Disk.OpenFile(At("held"), FileOpening.ReadOnly, out IDiskFile? held);
            held?.Dispose();
            opened.Kind.Should().Be(OperatingSystem.IsWindows() ? IoErrorKind.Locked : IoErrorKind.None);
            IoError renamed = Disk.Rename(At("held"), At("other"));
            renamed.Kind.Should().Be(OperatingSystem.IsWindows() ? IoErrorKind.Locked : IoErrorKind.None);
        }

        Open(OperatingSystem.IsWindows() ? "held" : "other", FileOpening.Create).Dispose();
    }

    [Fact]
    public void A_file_that_is_let_go_soon_is_waited_for()
    {
        Open("held", FileOpening.Create).Dispose();
        FileStream holder = File.Open(At("held"), FileMode.Open, FileAccess.ReadWrite, FileShare.None);
        Thread lettingGo = new(() =>
        {
            Thread.Sleep(50);
            holder.Dispose();
        });
        lettingGo.Start();
        Open("held", FileOpening.None).Dispose();
        lettingGo.Join();
    }

    [Fact]
    public void Paths_may_be_longer_than_260_letters_and_names_have_255()
    {
        string folder = At(Path.Combine(new string('a', 120), new string('b', 120), new string('c', 120)));
        Succeed(Disk.CreateDirectory(folder));
        string path = Path.Combine(folder, new string('d', 255));
        Succeed(Disk.OpenFile(path, FileOpening.Create, out IDiskFile? file));
        file!.Dispose();
        Succeed(Disk.SyncDirectory(folder));
        List<string> names = [];
        Succeed(Disk.ListFiles(folder, names));
        names.Should().Equal(new string('d', 255));
        Succeed(Disk.Rename(path, path[..^1]));
        Succeed(Disk.Delete(path[..^1]));
        Disk.OpenFile(path + "d", FileOpening.Create, out _).Kind.Should().Be(IoErrorKind.InvalidPath);
        using (StorageEnvironment environment = StorageEnvironment.Open(folder))
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree("t").Put("k"u8, "v"u8);
            transaction.Commit();
        }

        using StorageEnvironment again = StorageEnvironment.Open(folder);
        using ReadTransaction read = again.BeginRead();
        read.OpenTree("t").Get("k"u8).Should().Equal("v"u8.ToArray());
    }

    [Fact]
    public void A_call_that_races_with_dispose_is_finished_or_refused()
    {
        for (int round = 0; round < 100; round++)
        {
            IDiskFile file = Open("raced", FileOpening.Create);
            int started = 0;
            Thread writer = new(() =>
            {
                Volatile.Write(ref started, 1);
                try
                {
                    while (true)
                    {
                        Succeed(file.Write(0, [1]));
                    }
                }
                catch (ObjectDisposedException)
                {
                    // The way that the loop ends. A write that failed instead (a closed descriptor) ends the process: the assertion is
                    // not caught.
                }
            });
            writer.Start();
            SpinWait.SpinUntil(() => Volatile.Read(ref started) == 1);
            file.Dispose();
            using IDiskFile next = Open("next", FileOpening.Create);
            writer.Join();
            Succeed(next.GetLength(out long length));
            length.Should().Be(0, "no late write may land in the file that got the descriptor");
        }
    }

    private protected override void CleanUp() => Directory.Delete(_root, recursive: true);
}
