using FluentAssertions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Read-only opens: everything is there, nothing is changed, and other processes can read as well.</summary>
public sealed class ReadOnlyTests : IDisposable
{
    private static readonly StorageOptions ReadOnly = new() { ReadOnly = true };
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void What_was_committed_is_there_whether_it_was_closed_or_killed(bool closed)
    {
        using TemporaryFolder copy = new();
        StorageEnvironment writer = StorageEnvironment.Open(_folder.Path);
        Sample.Put(writer, 0, 1000);
        writer.Checkpoint();
        Sample.Put(writer, 1000, 3000);
        writer.Checkpoint();
        Sample.Put(writer, 3000, 3500);
        if (closed)
        {
            writer.Dispose();
        }

        TemporaryFolder.Copy(_folder.Path, copy.Path);
        writer.Dispose();
        Dictionary<string, byte[]> before = Sample.Files(copy);
        List<StorageEvent> events = [];
        using (StorageEnvironment environment = StorageEnvironment.Open(copy.Path, new() { ReadOnly = true, OnEvent = events.Add }))
        {
            Sample.Expect(environment, 3500);
            environment.GetReport().LastTransactionId.Should().Be(3);
        }

        Sample.Files(copy).Should().BeEquivalentTo(before);
        events.Should().ContainSingle().Which.Message.Should().Contain("read-only").And.Contain("transaction 3");
    }

    [Fact]
    public void Writing_is_refused_and_reading_goes_on()
    {
        using (StorageEnvironment writer = StorageEnvironment.Open(_folder.Path))
        {
            Sample.Put(writer, 0, 10);
        }

        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, ReadOnly);
        Action[] changes =
        [
            () => environment.BeginWrite(),
            () => environment.BeginWrite(TimeSpan.Zero),
            () => environment.TryBeginWrite(TimeSpan.Zero, out _),
            environment.Checkpoint,
        ];
        foreach (Action change in changes)
        {
            change.Should().Throw<StorageReadOnlyException>().Which.Message.Should().Contain("ReadOnly").And.Contain(_folder.Path);
        }

        Sample.Expect(environment, 10);
    }

    [Fact]
    public void Many_may_read_together_and_keep_a_writer_out_only_without_a_lock_file()
    {
        using (StorageEnvironment writer = StorageEnvironment.Open(_folder.Path))
        {
            Sample.Put(writer, 0, 10);
        }

        foreach (bool hasLockFile in (bool[])[true, false])
        {
            using StorageEnvironment one = StorageEnvironment.Open(_folder.Path, ReadOnly);
            using StorageEnvironment two = StorageEnvironment.Open(_folder.Path, ReadOnly);
            Sample.Expect(one, 10);
            Sample.Expect(two, 10);
            Action write = () => StorageEnvironment.Open(_folder.Path).Dispose();
            if (hasLockFile)
            {
                write.Should().NotThrow();
            }
            else
            {
                write.Should().Throw<StorageLockedException>();
            }

            File.Delete(Path.Combine(_folder.Path, "voron.lock"));
        }
    }

    [Fact]
    public void A_missing_database_is_named_and_not_created()
    {
        string path = Path.Combine(_folder.Path, "none");
        foreach (string each in (string[])[path, _folder.Path])
        {
            Action open = () => StorageEnvironment.Open(each, ReadOnly);
            open.Should().Throw<StorageIOException>().Which.Message.Should().Contain(each);
        }

        Directory.GetFileSystemEntries(_folder.Path).Should().BeEmpty();
    }

    [Fact]
    public void A_directory_that_nobody_may_write_to_is_enough()
    {
        if (OperatingSystem.IsWindows())
        {
            Assert.Skip("needs permission bits");
            return;
        }

        using (StorageEnvironment writer = StorageEnvironment.Open(_folder.Path))
        {
            Sample.Put(writer, 0, 100);
        }

        string[] folders = [Sample.Journal(_folder), _folder.Path];
        const UnixFileMode Read = UnixFileMode.UserRead;
        try
        {
            foreach (string file in folders.SelectMany(Directory.GetFiles))
            {
                File.SetUnixFileMode(file, Read);
            }

            foreach (string folder in folders)
            {
                File.SetUnixFileMode(folder, Read | UnixFileMode.UserExecute);
            }

            using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, ReadOnly);
            Sample.Expect(environment, 100);
        }
        finally
        {
            foreach (string folder in folders)
            {
                File.SetUnixFileMode(folder, Read | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
            }
        }
    }
}
