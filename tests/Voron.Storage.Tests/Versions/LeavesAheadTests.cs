using System.Buffers.Binary;
using System.IO.Pipelines;
using System.Runtime.InteropServices;
using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Storage.Tests.Versions;

/// <summary>A walk through all of a large tree, whose leaves another thread reads in the order of the file.</summary>
public sealed class LeavesAheadTests : IDisposable
{
    private const int PageBytes = 4096;
    private const int Entries = 120_000;
    private readonly WatchedDisk _disk = new();
    private readonly TemporaryFolder _folder = new();
    private readonly TaskCompletionSource _allAsked = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Pages that were asked for, and in how many reads.</summary>
    private long _asked;
    private long _reads;

    public void Dispose()
    {
        _disk.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task Its_leaves_are_asked_for_in_long_reads_and_each_of_them_once()
    {
        StorageOptions options = new() { Engine = new() { Disk = _disk, Background = false }, PageSize = PageBytes };
        Fill("/db", options);
        using StorageEnvironment environment = StorageEnvironment.Open("/db", options);
        long leaves = LeavesOf(environment);
        _disk.OnReadAhead = (_, _, bytes) => Note(bytes / PageBytes, leaves);
        Pipe pipe = new(new PipeOptions(pauseWriterThreshold: 1, resumeWriterThreshold: 1));
        Task<BackupReport> backup = environment.BackupAsync(pipe.Writer).AsTask();

        // The stream is read only after all leaves were asked for: until then the walk waits.
        await _allAsked.Task.WaitAsync(TimeSpan.FromMinutes(1));
        Task drained = pipe.Reader.CopyToAsync(Stream.Null);
        BackupReport report = await backup;
        await pipe.Writer.CompleteAsync();
        await drained;
        _asked.Should().BeInRange(leaves, report.Pages);
        _reads.Should().BeLessThan(leaves / 4, "leaves that are side by side are one read");
    }

    [Fact]
    public async Task A_damaged_leaf_is_the_error_of_the_walk()
    {
        StorageOptions options = new() { PageSize = PageBytes };
        Fill(_folder.Path, options);
        int page = DamageLeaf(Sample.Data(_folder));
        using StorageEnvironment environment = StorageEnvironment.Open(_folder.Path, options);
        Func<Task> backup = async () => await environment.BackupAsync(PipeWriter.Create(Stream.Null));
        (await backup.Should().ThrowAsync<StorageCorruptException>()).WithMessage($"*page {page}*");
    }

    /// <summary>What is not brought in is read through the map, where a process does not survive what the device cannot read.</summary>
    [Fact]
    public void A_long_value_in_the_place_of_a_leaf_is_brought_in_as_a_whole()
    {
        const int Pages = 40;
        StorageOptions options = new() { Engine = new() { Disk = _disk, Background = false }, PageSize = PageBytes };
        using (StorageEnvironment filled = StorageEnvironment.Open("/db", options))
        {
            Sample.Put(filled, 0, 1, (Pages - 1) * PageBytes);
        }

        using StorageEnvironment environment = StorageEnvironment.Open("/db", options);
        PageNumber run = FindRun();
        (long First, long Pages) longest = default;
        _disk.OnPopulate = (offset, bytes) =>
        {
            if (bytes > longest.Pages * PageBytes)
            {
                longest = (offset / PageBytes, bytes / PageBytes);
            }
        };
        environment.Database.Parts.Source.Verify(run, 1, [run.Value]);
        longest.Should().Be((run.Value, Pages));
    }

    private PageNumber FindRun()
    {
        _disk.OpenFile("/db/data.voron", FileOpening.ReadOnly, out IDiskFile? file).Failed.Should().BeFalse();
        using IDiskFile data = file!;
        byte[] page = new byte[PageBytes];
        int number = 2;
        do
        {
            data.Read(number++ * PageBytes, page, out int read).Failed.Should().BeFalse();
            read.Should().Be(PageBytes, "there is a long value");
        }
        while (MemoryMarshal.Read<PageHeader>(page).Kind != PageKind.Overflow);
        return new PageNumber(number - 1);
    }

    private static long LeavesOf(StorageEnvironment environment)
    {
        using ReadTransaction read = environment.BeginRead();
        return read.OpenTree("t").GetReport().LeafPages;
    }

    private void Note(long pages, long leaves)
    {
        _reads++;
        _asked += pages;
        if (_asked >= leaves)
        {
            _allAsked.TrySetResult();
        }
    }

    /// <summary>Damages a leaf in the middle of the file and returns its number.</summary>
    private static int DamageLeaf(string path)
    {
        byte[] file = File.ReadAllBytes(path);
        int page = file.Length / PageBytes / 2;
        while (MemoryMarshal.Read<PageHeader>(file.AsSpan(page * PageBytes)).Kind != PageKind.Leaf)
        {
            page++;
        }

        file[((page + 1) * PageBytes) - 1] ^= 1;
        File.WriteAllBytes(path, file);
        return page;
    }

    private static void Fill(string folder, StorageOptions options)
    {
        using StorageEnvironment environment = StorageEnvironment.Open(folder, options);
        byte[] key = new byte[8];
        for (int first = 0; first < Entries; first += 1000)
        {
            using WriteTransaction transaction = environment.BeginWrite();
            Tree tree = transaction.OpenTree("t");
            for (int i = first; i < first + 1000; i++)
            {
                // The order of the keys is not that of the leaves in the file.
                BinaryPrimitives.WriteInt64BigEndian(key, i * 7_919L % Entries);
                tree.Put(key, key);
            }

            transaction.Commit(CommitMode.Lazy);
        }
    }
}
