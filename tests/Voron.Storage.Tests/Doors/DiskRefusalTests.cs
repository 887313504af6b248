using FluentAssertions;
using Voron.Storage.Engine;
using Voron.Storage.Transactions;
using Voron.Storage.Versions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>Disks that cannot do something, or say so once: what is given up, what is refused, and what is told.</summary>
public sealed class DiskRefusalTests : IDisposable
{
    private static readonly string Folder = Path.GetFullPath("/a/b/db");
    private static readonly string DataFile = Path.Combine(Folder, "data.voron");
    private readonly WatchedDisk _disk = new();

    public void Dispose() => _disk.Dispose();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_file_system_without_unbuffered_access_is_told_of(bool isBuffered)
    {
        _disk.IsBuffered = isBuffered;
        List<StorageEvent> events = [];
        using (Open(events))
        {
        }

        events.Select(static e => e.Kind).Contains(StorageEventKind.UnbufferedRefused).Should().Be(isBuffered);
    }

    /// <summary>A directory that may not be read cannot be synced; above the nearest one there may be none that has a sync.</summary>
    [Theory]
    [InlineData("/a/b", "AccessDenied", true)]
    [InlineData("/a", "AccessDenied", true)]
    [InlineData("/a/b", "NotSupported", false)]
    [InlineData("/a", "NotSupported", true)]
    [InlineData("/", "InvalidPath", true)]
    [InlineData("/", "ReadOnlyMedia", true)]
    [InlineData("/", "Device", false)]
    [InlineData("/a/b", "Device", false)]
    public void A_parent_that_cannot_be_synced(string parent, string kind, bool isPassable)
    {
        string place = Path.GetFullPath(parent);
        _disk.OnCall = (call, path) => call == "sync directory" && path == place
            ? new IoError(Enum.Parse<IoErrorKind>(kind), 1) : IoError.Success;
        Action open = () => Open().Dispose();
        if (isPassable)
        {
            open.Should().NotThrow();
        }
        else
        {
            open.Should().Throw<StorageException>().Which.Message.Should().Contain($"'{place}'");
            _disk.OnCall = null;
            open.Should().NotThrow("what a failed creation left is no database");
        }
    }

    /// <summary>The cache may show what the device refused, unless nothing was written to the data file since a slot said so.</summary>
    [Theory]
    [InlineData("killed before the first checkpoint", 0)]
    [InlineData("killed after a checkpoint", 0)]
    [InlineData("killed after a commit behind a checkpoint", 0)]
    [InlineData("killed when a large value was placed", 1)]
    [InlineData("killed when a large value was rolled back", 1)]
    [InlineData("closed after a large value", 0)]
    [InlineData("failed in a checkpoint", 1)]
    [InlineData("failed at the first slot of a checkpoint", 1)]
    public void The_cache_is_trusted_when_the_data_file_was_at_rest(string end, int timesForgotten)
    {
        int forgotten = 0;
        int syncsUntilFailure = int.MaxValue;
        _disk.OnCall = (call, path) =>
        {
            forgotten += call == "forget" && path == DataFile ? 1 : 0;
            return call == "sync" && path == DataFile && --syncsUntilFailure < 0 ? new IoError(IoErrorKind.Device, 5) : IoError.Success;
        };
        using (StorageEnvironment first = Open())
        {
            Sample.Put(first, 0, 100);
        }

        forgotten = 0;
        StorageEnvironment next = Open();
        forgotten.Should().Be(0, "the life before was closed");
        bool isChecked = end.Contains("checkpoint", StringComparison.Ordinal) && !end.Contains("before", StringComparison.Ordinal);
        bool isLarge = end.Contains("large", StringComparison.Ordinal);
        Sample.Put(next, 100, 200);
        if (isLarge)
        {
            using WriteTransaction transaction = next.BeginWrite();
            transaction.OpenTree("large").Put("key"u8, new byte[1 << 20]);
            if (!end.Contains("rolled", StringComparison.Ordinal))
            {
                transaction.Commit();
            }
        }

        if (end.StartsWith("failed", StringComparison.Ordinal))
        {
            syncsUntilFailure = end.Contains("slot", StringComparison.Ordinal) ? 0 : 1;
            next.Invoking(static environment => environment.Checkpoint()).Should().Throw<StorageException>();
        }
        else if (isChecked)
        {
            next.Checkpoint();
        }

        int rows = 200;
        if (end.Contains("behind", StringComparison.Ordinal))
        {
            rows = 300;
            Sample.Put(next, 200, rows);
        }

        if (end.StartsWith("closed", StringComparison.Ordinal))
        {
            next.Dispose();
        }
        else
        {
            next.Database.Abandon();
        }

        syncsUntilFailure = int.MaxValue;
        using StorageEnvironment again = Open();
        forgotten.Should().Be(timesForgotten);
        Sample.Expect(again, rows);
    }

    [Fact]
    public void A_file_system_without_holes_is_asked_once_and_nothing_is_lost()
    {
        int asked = 0;
        _disk.OnCall = (call, _) =>
        {
            asked += call == "punch" ? 1 : 0;
            return call == "punch" ? new IoError(IoErrorKind.NotSupported, 95) : IoError.Success;
        };
        using StorageEnvironment environment = Open();
        Sample.Put(environment, 0, 4000, valueBytes: 500);
        environment.Checkpoint();
        for (int round = 0; round < 4; round++)
        {
            using (WriteTransaction transaction = environment.BeginWrite())
            {
                transaction.OpenTree(Sample.Tree).DeleteRange(Sample.Key(10 + (round * 900)), Sample.Key(910 + (round * 900)));
                transaction.Commit();
            }

            environment.Checkpoint();
        }

        asked.Should().Be(1);
        using ReadTransaction read = environment.BeginRead();
        read.OpenTree(Sample.Tree).Count.Should().Be(400);
        environment.Check().Findings.Should().BeEmpty();
    }

    /// <summary>What was written may be lost, and room that comes later does not bring it back: no full disk that one waits for.</summary>
    [Fact]
    public void A_sync_of_the_data_file_that_finds_the_disk_full_has_failed_for_good()
    {
        StorageEnvironment environment = Open();
        Sample.Put(environment, 0, 500);
        _disk.OnCall = static (call, path) =>
            call == "sync" && path == DataFile ? new IoError(IoErrorKind.DiskFull, 28) : IoError.Success;
        Action checkpoint = environment.Checkpoint;
        checkpoint.Should().Throw<StorageIOException>().Which.Should().NotBeOfType<StorageFullException>();
        _disk.OnCall = null;
        checkpoint.Should().Throw<StoragePoisonedException>();
        environment.Dispose();
        using StorageEnvironment again = Open();
        Sample.Expect(again, 500);
    }

    /// <summary>
    /// A full disk stops a checkpoint among its pages, and what it has written is needed no more. The next one has nothing to write to the
    /// data file, because a reader still looks at the old pages there: it syncs all the same before it says that the file is at rest.
    /// </summary>
    [Fact]
    public void Pages_of_a_checkpoint_that_was_given_up_are_synced_before_the_data_file_is_called_at_rest()
    {
        const int Rows = 100;
        const int Kibibyte = 1024;
        using StorageEnvironment environment = Open();
        Sample.Put(environment, 0, Rows, Kibibyte);
        environment.Checkpoint();
        using ReadTransaction held = environment.BeginRead();
        Sample.Put(environment, Rows, 2000, Kibibyte);
        int writes = 0;
        _disk.OnCall = (call, path) =>
            call == "write" && path == DataFile && ++writes > 2 ? new IoError(IoErrorKind.DiskFull, 28) : IoError.Success;
        environment.Invoking(static full => full.Checkpoint()).Should().Throw<StorageFullException>();
        writes.Should().Be(3, "a slot and a piece were written");
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree(Sample.Tree).DeleteRange(Sample.Key(Rows), Sample.Key(2000));
            transaction.Commit();
        }

        List<string> calls = [];
        _disk.OnCall = (call, path) =>
        {
            if (path == DataFile)
            {
                calls.Add(call);
            }

            return IoError.Success;
        };
        environment.Checkpoint();
        calls.Should().Equal("sync", "write", "sync");
        _disk.OnCall = null;
        Sample.Expect(environment, Rows, Kibibyte);
    }

    [Theory]
    [InlineData(100)]
    [InlineData(5000)]
    public void A_scrub_that_reads_less_than_a_page_or_run_finds_damage(int limit)
    {
        using StorageEnvironment environment = Open();
        Sample.Put(environment, 0, 50, valueBytes: 30_000);
        environment.Checkpoint();
        environment.Check(1L << 40).Findings.Should().BeEmpty();
        _disk.ReadLimit = (path, read) => path == DataFile ? Math.Min(read, limit) : read;
        environment.Check(1L << 40).Findings.Should().NotBeEmpty();
        _disk.ReadLimit = null;
        environment.Check(1L << 40).Findings.Should().BeEmpty();
    }

    /// <summary>Pages whose place a reader still needs wait in a page chunk; when that cannot be mapped, they stay in memory.</summary>
    [Theory]
    [InlineData("open to read")]
    [InlineData("map")]
    public void A_page_chunk_that_cannot_be_mapped_leaves_its_pages_in_memory(string what)
    {
        using StorageEnvironment environment = Open();
        Sample.Put(environment, 0, 2000);
        environment.Checkpoint();
        using (ReadTransaction reader = environment.BeginRead())
        {
            Sample.Put(environment, 0, 1000, valueBytes: 21);
            bool isInSet = false;
            _disk.OnCall = (call, path) =>
            {
                bool isChunk = path.EndsWith(".pages", StringComparison.Ordinal);
                isInSet |= isChunk && call == "sync";
                return isChunk && isInSet && call == what ? new IoError(IoErrorKind.OutOfMemory, 12) : IoError.Success;
            };
            environment.Checkpoint();
            _disk.OnCall = null;
            environment.GetReport().DirtyBytes.Should().BeGreaterThan(1000 * 21, "nothing else has them");
            reader.OpenTree(Sample.Tree).Get(Sample.Key(500)).Should().Equal(Sample.Value(20, 500));
            using ReadTransaction newest = environment.BeginRead();
            newest.OpenTree(Sample.Tree).Get(Sample.Key(500)).Should().Equal(Sample.Value(21, 500));
        }

        environment.Checkpoint();
        environment.Check().Findings.Should().BeEmpty();
    }

    [Fact]
    public void A_page_that_reads_badly_once_is_no_damage()
    {
        using StorageEnvironment environment = Open();
        Sample.Put(environment, 0, 2000);
        environment.Checkpoint();
        int reads = 0;
        _disk.ReadLimit = (path, read) => path == DataFile && ++reads == 5 ? 0 : read;
        environment.Check(1L << 40).Findings.Should().BeEmpty();
        reads.Should().BeGreaterThan(5);
    }

    private StorageEnvironment Open(List<StorageEvent>? events = null) => StorageEnvironment.Open(
        Folder,
        new StorageOptions
        {
            Engine = new() { Disk = _disk, Background = false },
            PageSize = 4096, OnEvent = events is null ? null : events.Add,
        });
}
