using FluentAssertions;
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

    /// <summary>
    /// The cache may show what the device refused: after a life that was not closed, also one that began with a clean close before it and
    /// ended before its first checkpoint was whole.
    /// </summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Only_after_a_clean_close_is_the_cache_trusted(bool failsInCheckpoint)
    {
        int forgotten = 0;
        bool isBroken = false;
        _disk.OnCall = (call, path) =>
        {
            forgotten += call == "forget" && path == DataFile ? 1 : 0;
            return isBroken && call == "sync" && path == DataFile ? new IoError(IoErrorKind.Device, 5) : IoError.Success;
        };
        using (StorageEnvironment first = Open())
        {
            Sample.Put(first, 0, 100);
        }

        Open().Dispose();
        forgotten = 0;
        using (StorageEnvironment closed = Open())
        {
            forgotten.Should().Be(0, "the life before was closed");
            Sample.Put(closed, 100, 200);
            isBroken = failsInCheckpoint;
            Action checkpoint = closed.Checkpoint;
            if (failsInCheckpoint)
            {
                checkpoint.Should().Throw<StorageException>();
            }
            else
            {
                closed.Database.Abandon();
            }
        }

        isBroken = false;
        using StorageEnvironment again = Open();
        forgotten.Should().Be(1);
        Sample.Expect(again, 200);
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
        environment.Check(1L << 40).Findings.Should().ContainSingle("pages side by side are one damage")
            .Which.Message.Should().Contain("damaged on the device");
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
            bool isInBatch = false;
            _disk.OnCall = (call, path) =>
            {
                bool isChunk = path.EndsWith(".pages", StringComparison.Ordinal);
                isInBatch |= isChunk && call == "sync";
                return isChunk && isInBatch && call == what ? new IoError(IoErrorKind.OutOfMemory, 12) : IoError.Success;
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
        new StorageOptions { Storage = _disk, Background = false, PageSize = 4096, OnEvent = events is null ? null : events.Add });
}
