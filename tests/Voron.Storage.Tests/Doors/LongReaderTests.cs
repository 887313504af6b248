using FluentAssertions;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Doors;

/// <summary>
/// A reader that holds back thousands of pages while later checkpoints change a few: what each of those costs depends on what it changes,
/// not on how many pages wait for the reader.
/// </summary>
public sealed class LongReaderTests : IDisposable
{
    private const int Keys = 9_000;
    private const int ValueBytes = 1_000;
    private const int PageBytes = 4096;
    private const int RowsPerPage = 4;
    private const int HeldPages = Keys / RowsPerPage;
    private readonly WatchedDisk _disk = new();
    private readonly StorageEnvironment _environment;
    private long _written;

    public LongReaderTests()
    {
        _environment = StorageEnvironment.Open(Path.GetFullPath("/db"), new StorageOptions
        {
            Engine = new() { Disk = _disk, Background = false }, PageSize = PageBytes,
        });
        _disk.OnWritten = (path, bytes) => _written += path.EndsWith(".pages", StringComparison.Ordinal) ? bytes : 0;
        Put(0, Keys, round: 0);
        _environment.Checkpoint();
    }

    public void Dispose()
    {
        _environment.Dispose();
        _disk.Dispose();
    }

    [Fact]
    public void A_checkpoint_writes_what_changed_and_not_the_list_of_what_waits()
    {
        const int Checkpoints = 60;
        List<long> each = [];
        using ReadTransaction reader = _environment.BeginRead();
        Put(0, Keys, round: 1);
        _environment.Checkpoint();
        _written.Should().BeGreaterThan(HeldPages * (long)PageBytes, "the reader blocks all leaves");
        long before = _written;
        for (int i = 0; i < Checkpoints; i++)
        {
            Put(i * 40, (i * 40) + 1, round: 2);
            _environment.Checkpoint();
            each.Add(_written - before);
            before = _written;
        }

        // A leaf, a block of the table, the head and its copy; now and then the list of all pages, and once all images together.
        each.Count(static bytes => bytes <= 4 * PageBytes).Should().BeGreaterThan(Checkpoints * 9 / 10, "{0}", string.Join(' ', each));
        Expect(reader, 0);
    }

    [Fact]
    public void Deferred_pages_cost_few_managed_bytes_and_later_checkpoints_none_for_them()
    {
        using ReadTransaction reader = _environment.BeginRead();
        Put(0, Keys, round: 1);
        long first = Allocations.Least(_environment.Checkpoint, rounds: 1);
        Put(0, 1, round: 2);
        first += Allocations.Least(_environment.Checkpoint, rounds: 1);
        long later = long.MaxValue;
        for (int round = 3; round < 9; round++)
        {
            Put(0, 1, round);
            later = Math.Min(later, Allocations.Least(_environment.Checkpoint, rounds: 1));
        }

        (first / HeldPages).Should().BeLessThan(400, "bytes of the two checkpoints that make the lists");
        later.Should().BeLessThan(16 << 10);
        Expect(reader, 0);
    }

    [Fact]
    public void An_inspection_follows_the_links_between_lists_and_tells_of_a_damaged_one()
    {
        using TemporaryFolder live = new();
        using TemporaryFolder left = new();
        StorageOptions options = new() { Engine = new() { Background = false } };
        using (StorageEnvironment environment = StorageEnvironment.Open(live.Path, options))
        {
            Sample.Put(environment, 0, Keys, 60);
            environment.Checkpoint();
            using ReadTransaction reader = environment.BeginRead();
            Sample.Put(environment, 0, Keys, 61);
            environment.Checkpoint();
            Sample.Put(environment, 0, 1, 62);
            environment.Checkpoint();
            TemporaryFolder.Copy(live.Path, left.Path);
        }

        int images = Enumerable.Range(2, 100).Count(page => StorageInspection.ReadPage(left.Path, page).ImageAt is not null);
        images.Should().BeGreaterThan(50, "the newest table lists one leaf, the one that it links to all");
        StorageInspection.ReadJournal(left.Path).Findings.Should().BeEmpty();

        // The newest list is in the last chunk, the one that it links to in the chunk before.
        File.Delete(Directory.GetFiles(Sample.Journal(left), "*.pages").Order().SkipLast(1).Last());
        StorageInspection.ReadJournal(left.Path).Findings.Should().ContainMatch("Image set * lists only what it changed *");
    }

    private void Put(int from, int to, int round)
    {
        using WriteTransaction transaction = _environment.BeginWrite();
        Tree tree = transaction.OpenTree(Sample.Tree);
        for (int i = from; i < to; i++)
        {
            tree.Put(Sample.Key(i), Sample.Value(ValueBytes, (i * 100) + round));
        }

        transaction.Commit();
    }

    private static void Expect(ReadTransaction reader, int round)
    {
        ReadTree tree = reader.OpenTree(Sample.Tree);
        for (int i = 0; i < Keys; i += 37)
        {
            tree.Get(Sample.Key(i)).Should().Equal(Sample.Value(ValueBytes, (i * 100) + round));
        }
    }
}
