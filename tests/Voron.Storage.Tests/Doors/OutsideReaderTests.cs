using FluentAssertions;
using Voron.Storage.IO;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// Readers beside a writer. Locks belong to open files, so a second environment of this process is to the first one what one of another
/// process is.
/// </summary>
public sealed class OutsideReaderTests : IDisposable
{
    private static readonly StorageOptions ReadOnly = new() { ReadOnly = true };
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void A_reader_beside_a_writer_sees_what_was_durable_and_refreshes()
    {
        using StorageEnvironment writer = StorageEnvironment.Open(_folder.Path);
        Sample.Put(writer, 0, 100);
        using StorageEnvironment reader = StorageEnvironment.Open(_folder.Path, ReadOnly);
        Sample.Expect(reader, 100);

        Sample.Put(writer, 100, 200);
        Sample.Expect(reader, 100);
        using (ReadTransaction before = reader.BeginRead())
        {
            reader.Refresh().Should().BeTrue();
            before.OpenTree(Sample.Tree).Count.Should().Be(100);
        }

        Sample.Expect(reader, 200);
        reader.Refresh().Should().BeFalse();

        writer.Checkpoint();
        Sample.Put(writer, 200, 300);
        reader.Refresh().Should().BeTrue();
        Sample.Expect(reader, 300);
    }

    [Theory]
    [InlineData(CommitMode.Buffered)]
    [InlineData(CommitMode.Lazy)]
    public void What_a_power_cut_could_take_back_is_not_shown(CommitMode mode)
    {
        using StorageEnvironment writer = StorageEnvironment.Open(
            _folder.Path, new StorageOptions { LazyWindow = new LazyWindow(TimeSpan.FromMinutes(1), 1 << 20) });
        Sample.Put(writer, 0, 100);
        using StorageEnvironment reader = StorageEnvironment.Open(_folder.Path, ReadOnly);
        Sample.Put(writer, 100, 200, mode: mode);
        using StorageEnvironment second = StorageEnvironment.Open(_folder.Path, ReadOnly);
        reader.Refresh().Should().BeFalse();
        Sample.Expect(reader, 100);
        Sample.Expect(second, 100);

        writer.Flush();
        reader.Refresh().Should().BeTrue();
        Sample.Expect(reader, 200);
    }

    [Fact]
    public void A_reader_keeps_the_chunk_that_goes_on_open_and_finds_the_next_ones()
    {
        const int Values = 60;
        using WatchedDisk disk = new(new NativeDisk());
        StorageOptions options = new() { Engine = new() { Disk = disk, Background = false } };
        StorageOptions readOnly = new() { Engine = options.Engine, ReadOnly = true };
        using StorageEnvironment writer = StorageEnvironment.Open(_folder.Path, options);
        using StorageEnvironment reader = StorageEnvironment.Open(_folder.Path, readOnly);
        List<string> opened = [];
        List<int> chunks = [];
        disk.OnCall = (call, path) =>
        {
            opened.Add(call == "open to read" ? path : string.Empty);
            return IoError.Success;
        };
        for (int i = 0; i < Values; i++)
        {
            Put(writer, i);
            opened.Clear();
            reader.Refresh().Should().BeTrue();
            chunks.Add(opened.Where(static path => path.EndsWith(".commit", StringComparison.Ordinal)).Distinct().Count());
            using ReadTransaction read = reader.BeginRead();
            read.OpenTree(Sample.Tree).Count.Should().Be(i + 1);
        }

        chunks.Max().Should().BeGreaterThan(2, "the journal has several chunks by then");
        chunks.Count(static count => count > 0).Should().BeLessThan(Values / 4, "most commits are in the chunk of the one before");
    }

    [Fact]
    public void A_refresh_that_finds_nothing_new_writes_nothing()
    {
        using WatchedDisk disk = new(new NativeDisk());
        StorageOptions options = new() { Engine = new() { Disk = disk, Background = false } };
        StorageOptions readOnly = new() { Engine = options.Engine, ReadOnly = true };
        using StorageEnvironment writer = StorageEnvironment.Open(_folder.Path, options);
        using StorageEnvironment reader = StorageEnvironment.Open(_folder.Path, readOnly);
        Put(writer, 1);
        reader.Refresh().Should().BeTrue();
        List<string> written = [];
        disk.OnWritten = (path, _) => written.Add(Path.GetFileName(path));
        for (int i = 0; i < 10; i++)
        {
            reader.Refresh().Should().BeFalse();
        }

        written.Should().BeEmpty();
        Put(writer, 2);
        written.Clear();
        reader.Refresh().Should().BeTrue();
        written.Should().Equal("voron.lock");
    }

    private static void Put(StorageEnvironment writer, int key)
    {
        using WriteTransaction transaction = writer.BeginWrite();
        transaction.OpenTree(Sample.Tree).Put([(byte)key], new byte[60_000]);
        transaction.Commit();
    }
}
