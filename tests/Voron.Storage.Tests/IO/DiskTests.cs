using System.Runtime.InteropServices;
using FluentAssertions;
using Xunit;

namespace Voron.Storage.Tests.IO;

/// <summary>What every disk must do alike with names, folders, locks and closed files. Each test runs on every disk.</summary>
public abstract class DiskTests : DiskContentTests
{
    [Fact]
    public void A_missing_file_is_not_found()
    {
        Disk.OpenFile(At("missing"), FileOpening.None, out IDiskFile? file).Kind.Should().Be(IoErrorKind.NotFound);
        file.Should().BeNull();
        Disk.OpenFile(At("no/such/folder"), FileOpening.Create, out _).Kind.Should().Be(IoErrorKind.NotFound);
        Disk.Delete(At("missing")).Kind.Should().Be(IoErrorKind.NotFound);
        Disk.Rename(At("missing"), At("other")).Kind.Should().Be(IoErrorKind.NotFound);
        Disk.ListFiles(At("missing"), []).Kind.Should().Be(IoErrorKind.NotFound);
        Disk.SyncDirectory(At("missing")).Kind.Should().Be(IoErrorKind.NotFound);
    }

    [Fact]
    public void A_file_in_the_path_is_not_a_directory()
    {
        using IDiskFile file = Open("file", FileOpening.Create);
        Disk.OpenFile(At("file/inner"), FileOpening.Create, out _).Kind.Should().Be(IoErrorKind.NotADirectory);
        Disk.CreateDirectory(At("file")).Kind.Should().Be(IoErrorKind.NotADirectory);
        Disk.CreateDirectory(At("file/inner")).Kind.Should().Be(IoErrorKind.NotADirectory);
        Disk.ListFiles(At("file"), []).Kind.Should().Be(IoErrorKind.NotADirectory);
        Disk.SyncDirectory(At("file")).Kind.Should().Be(IoErrorKind.NotADirectory);
    }

    [Fact]
    public void A_directory_is_no_file()
    {
        Succeed(Disk.CreateDirectory(At("folder")));
        Disk.OpenFile(At("folder"), FileOpening.None, out _).Kind.Should().Be(IoErrorKind.IsADirectory);
        Disk.OpenFile(At("folder"), FileOpening.Create, out _).Kind.Should().Be(IoErrorKind.IsADirectory);
        Disk.OpenFile(At("folder"), FileOpening.ReadOnly, out _).Kind.Should().Be(IoErrorKind.IsADirectory);
        Disk.Delete(At("folder")).Kind.Should().Be(IoErrorKind.IsADirectory);
        using IDiskFile file = Open("file", FileOpening.Create);
        Disk.Rename(At("file"), At("folder")).Kind.Should().Be(IoErrorKind.IsADirectory);
    }

    [Theory]
    [InlineData("zero\0character")]
    [InlineData("long")]
    public void A_bad_name_is_an_invalid_path(string name)
    {
        string path = At(name == "long" ? new string('x', 256) : name);
        Disk.OpenFile(path, FileOpening.Create, out _).Kind.Should().Be(IoErrorKind.InvalidPath);
        Disk.CreateDirectory(path).Kind.Should().Be(IoErrorKind.InvalidPath);
        Disk.OpenFile("relative", FileOpening.Create, out _).Kind.Should().Be(IoErrorKind.InvalidPath);
        using IDiskFile file = Open(new string('x', 255), FileOpening.Create);
    }

    [Fact]
    public void Directories_are_created_with_their_parents_and_twice_is_fine()
    {
        Succeed(Disk.CreateDirectory(At("a/b/c")));
        Succeed(Disk.CreateDirectory(At("a/b/c")));
        Succeed(Disk.CreateDirectory(At("a/b/d/")));
        using IDiskFile file = Open("a/b/c/file", FileOpening.Create);
        Succeed(Disk.SyncDirectory(At("a/b/c")));
    }

    [Fact]
    public void Files_are_listed_and_folders_are_not()
    {
        Succeed(Disk.CreateDirectory(At("list/inner")));
        Open("list/one", FileOpening.Create).Dispose();
        Open("list/two", FileOpening.Create).Dispose();
        Open("list/inner/three", FileOpening.Create).Dispose();
        List<string> names = ["before"];
        Succeed(Disk.ListFiles(At("list"), names));
        names.Should().BeEquivalentTo("before", "one", "two");
    }

    [Fact]
    public void A_file_opened_read_only_cannot_be_changed()
    {
        Open("file", FileOpening.Create).Dispose();
        using IDiskFile file = Open("file", FileOpening.ReadOnly);
        file.Write(0, new byte[10]).Kind.Should().Be(IoErrorKind.AccessDenied);
        file.SetLength(10).Kind.Should().Be(IoErrorKind.AccessDenied);
        file.Allocate(10).Kind.Should().Be(IoErrorKind.AccessDenied);
        file.TryLock(exclusive: true).Kind.Should().Be(IoErrorKind.AccessDenied);
        Succeed(file.TryLock(exclusive: false));
        Succeed(file.SyncData());
    }

    [Fact]
    public void A_rename_replaces_its_target_and_the_old_content_lives_on_while_open()
    {
        IDiskFile old = Open("target", FileOpening.Create);
        Succeed(old.Write(0, [1]));
        using (IDiskFile source = Open("source", FileOpening.Create))
        {
            Succeed(source.Write(0, [2]));
        }

        IoError renamed = Disk.Rename(At("source"), At("target"));
        if (OperatingSystem.IsWindows() && renamed.Failed)
        {
            renamed.Kind.Should().Be(IoErrorKind.AccessDenied, "the system replaces no open file, and changes nothing");
            old.Dispose();
            Succeed(Disk.Rename(At("source"), At("target")));
            using IDiskFile replaced = Open("target", FileOpening.None);
            FirstByte(replaced).Should().Be(2);
            return;
        }

        Succeed(renamed);
        FirstByte(old).Should().Be(1);
        using (IDiskFile target = Open("target", FileOpening.None))
        {
            FirstByte(target).Should().Be(2);
        }

        Disk.OpenFile(At("source"), FileOpening.None, out _).Kind.Should().Be(IoErrorKind.NotFound);
        old.Dispose();
        using IDiskFile after = Open("target", FileOpening.None);
        FirstByte(after).Should().Be(2, "closing the replaced file must not touch the new one");
        Succeed(Disk.Rename(At("target"), At("target")));
        FirstByte(after).Should().Be(2);
    }

    [Fact]
    public void A_deleted_file_keeps_its_content_while_it_is_open()
    {
        using IDiskFile file = Open("file", FileOpening.Create);
        Succeed(file.Write(0, Pattern(5000, 5)));
        Succeed(Disk.Delete(At("file")));
        Disk.OpenFile(At("file"), FileOpening.None, out _).Kind.Should().Be(IoErrorKind.NotFound);
        using IDiskFile other = Open("file", FileOpening.Create);
        Succeed(other.Write(0, [9]));
        byte[] bytes = new byte[5000];
        Succeed(file.Read(0, bytes, out int read));
        read.Should().Be(5000);
        bytes.Should().Equal(Pattern(5000, 5));
    }

    [Fact]
    public void An_exclusive_lock_keeps_a_second_open_of_the_same_process_out()
    {
        IDiskFile first = Open("file", FileOpening.Create);
        using IDiskFile second = Open("file", FileOpening.None);
        Succeed(first.TryLock(exclusive: true));
        Succeed(first.TryLock(exclusive: true));
        second.TryLock(exclusive: true).Kind.Should().Be(IoErrorKind.Locked);
        second.TryLock(exclusive: false).Kind.Should().Be(IoErrorKind.Locked);
        using (IDiskFile third = Open("file", FileOpening.None))
        {
            // Closing any other open of the file must not release the lock, as it does with locks that belong to the process.
        }

        second.TryLock(exclusive: true).Kind.Should().Be(IoErrorKind.Locked);
        first.Dispose();
        Succeed(second.TryLock(exclusive: true));
    }

    [Fact]
    public void Shared_locks_go_together_and_a_lock_can_change_its_kind()
    {
        IDiskFile first = Open("file", FileOpening.Create);
        using IDiskFile second = Open("file", FileOpening.None);
        Succeed(first.TryLock(exclusive: false));
        Succeed(second.TryLock(exclusive: false));
        first.TryLock(exclusive: true).Kind.Should().Be(IoErrorKind.Locked);
        second.TryLock(exclusive: true).Kind.Should().Be(IoErrorKind.Locked);
        first.Dispose();
        Succeed(second.TryLock(exclusive: true));
        using IDiskFile third = Open("file", FileOpening.None);
        third.TryLock(exclusive: false).Kind.Should().Be(IoErrorKind.Locked);
        Succeed(second.TryLock(exclusive: false));
        Succeed(third.TryLock(exclusive: false));
    }

    [Fact]
    public void A_closed_file_refuses_everything()
    {
        IDiskFile file = Open("file", FileOpening.Create);
        file.Dispose();
        file.Dispose();
        using IDiskFile other = Open("other", FileOpening.Create);
        Action[] calls =
        [
            () => file.GetLength(out _),
            () => file.Read(0, new byte[1], out _),
            () => file.Write(0, new byte[1]),
            () => file.WriteOut(0, 1),
            () => file.SyncData(),
            () => file.SetLength(1),
            () => file.Allocate(1),
            () => file.Map(0, out _),
            () => file.TryLock(exclusive: true),
        ];
        foreach (Action call in calls)
        {
            call.Should().Throw<ObjectDisposedException>();
        }

        Succeed(other.GetLength(out long length));
        length.Should().Be(0, "the descriptor that the closed file had may belong to this one now");
    }
}
