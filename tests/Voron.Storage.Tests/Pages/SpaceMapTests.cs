using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Tests.Trees;
using Xunit;

namespace Voron.Storage.Tests.Pages;

/// <summary>First fit, immediate reuse, and what a search costs, counted in words of the maps.</summary>
public class SpaceMapTests
{
    [Fact]
    public void A_long_run_among_ten_million_single_free_pages_is_found_without_scanning_them_each_time()
    {
        const int RunPages = 1000;
        const long Pages = 20_000_000;
        using MemoryPages pages = new(4096);
        SpaceLayout layout = new(4096);
        SpaceMap space = pages.Writer.Space;
        pages.Begin();
        long wordsPerGroup = layout.PagesPerGroup / 64;
        List<(PageNumber First, long Count)> filled = [];
        long most = layout.PagesPerExtent - layout.GroupsPerExtent - FormatConstants.FirstSpaceMapPage.Value;
        for (long taken = 0; taken < Pages; taken += most)
        {
            filled.Add((space.AllocateRun(most), most));
        }

        long free = 0;
        foreach ((PageNumber first, long count) in filled)
        {
            for (PageNumber page = first; page < first + count; page += 2, free++)
            {
                space.Free(page, 1);
            }
        }

        free.Should().BeGreaterThan(9_900_000);
        long all = space.Groups * wordsPerGroup;
        PageNumber run = space.AllocateRun(RunPages);
        long ends = 2 * space.Groups;
        long start = space.WordsLookedAt;
        for (int i = 0; i < 20; i++)
        {
            space.AllocateRun(RunPages).Should().BeGreaterThan(run);
        }

        ((space.WordsLookedAt - start) / 20).Should().BeLessThan(ends + (2 * wordsPerGroup), "each search skips what the first one saw");
        start = space.WordsLookedAt;
        space.Allocate().Should().BeLessThan(layout.FirstFreePage + 64, "a single page comes from the front");
        (space.WordsLookedAt - start).Should().BeLessThan(wordsPerGroup);

        // What is freed is taken again at once, at the price of one look through its group.
        start = space.WordsLookedAt;
        PageNumber middle = filled[filled.Count / 2].First + 1001;
        for (PageNumber page = middle; page < middle + (2 * RunPages); page += 2)
        {
            space.Free(page, 1);
        }

        space.AllocateRun(RunPages).Should().Be(middle - 1);
        (space.WordsLookedAt - start).Should().BeLessThan(ends + (2 * wordsPerGroup)).And.BeLessThan(all / 20);
        pages.Rollback();
    }

    [Fact]
    public void Pages_off_the_disk_are_those_that_its_snapshot_does_not_reach()
    {
        using MemoryPages pages = new(4096);
        SpaceMap space = pages.Writer.Space;
        pages.Begin();
        PageNumber first = space.Allocate();
        PageNumber second = space.Allocate();
        space.KeepsOffDisk = true;
        space.Allocate().Should().Be(second + 1, "the snapshot on disk is not known yet");
        pages.Commit();

        UsedPages onDisk = UsedPages.Load(pages.Source, space.Groups, pages.LastCommitted);
        space.OnDisk.Set(() => onDisk);
        pages.Begin();
        space.Free(first, 1);
        space.Allocate().Should().Be(second + 2, "the snapshot on disk reaches the first one");
        space.Free(second + 2, 1);
        space.Allocate().Should().Be(second + 2, "the snapshot on disk does not reach this one");
        space.KeepsOffDisk = false;
        space.Allocate().Should().Be(first);
        space.Free(first, 1);
        pages.Commit();

        UsedPages next = UsedPages.Load(pages.Source, space.Groups, pages.LastCommitted);
        space.OnDisk.Set(() => next);
        space.KeepsOffDisk = true;
        pages.Begin();
        space.Allocate().Should().Be(first);
        space.Allocate().Should().Be(second + 3);
        pages.Rollback();
        pages.Begin();
        space.Allocate().Should().Be(first);
        pages.Rollback();
    }

    [Theory]
    [InlineData(4096)]
    [InlineData(65536)]
    public void Runs_and_pages_are_taken_where_a_plain_search_finds_them_first(int pageBytes)
    {
        for (int seed = 0; seed < 4; seed++)
        {
            Random random = new(seed);
            using MemoryPages pages = new(pageBytes);
            SpaceLayout layout = new(pageBytes);
            SpaceMap space = pages.Writer.Space;
            pages.Begin();
            space.Free(space.AllocateRun(1), 1);
            bool[] used = new bool[layout.PagesPerGroup * 2];
            Array.Fill(used, true, 0, (int)layout.FirstFreePage.Value);
            List<(PageNumber First, long Count)> taken = [];
            for (int i = 0; i < 4000; i++)
            {
                if (taken.Count > 0 && random.Next(100) < (i / 500 % 2 == 0 ? 35 : 65))
                {
                    int index = random.Next(taken.Count);
                    (PageNumber first, long count) = taken[index];
                    long part = random.Next(3) == 0 ? random.NextInt64(1, count + 1) : count;
                    space.Free(first, part);
                    Array.Fill(used, false, (int)first.Value, (int)part);
                    taken[index] = (first + part, count - part);
                    if (part == count)
                    {
                        taken.RemoveAt(index);
                    }
                }
                else
                {
                    long count = random.Next(4) switch { 0 => 1, 1 => random.Next(2, 64), 2 => 64, _ => random.Next(65, 300) };
                    PageNumber first = space.AllocateRun(count);
                    first.Should().Be(FirstFit(used, count), "seed {0}, step {1}, {2} pages", seed, i, count);
                    Array.Fill(used, true, (int)first.Value, (int)count);
                    taken.Add((first, count));
                }
            }

            pages.Rollback();
        }
    }

    [Fact]
    public void A_page_freed_twice_or_taken_twice_is_noticed()
    {
        using MemoryPages pages = new(4096);
        pages.Begin();
        PageNumber page = pages.Writer.Space.Allocate();
        pages.Writer.Space.Free(page, 1);
        Action again = () => pages.Writer.Space.Free(page, 1);
        again.Should().Throw<StorageCorruptException>().Which.PageNumber.Should().Be(page.Value);
    }

    private static PageNumber FirstFit(bool[] used, long count)
    {
        int length = 0;
        for (int page = 0; page < used.Length; page++)
        {
            length = used[page] ? 0 : length + 1;
            if (length == count)
            {
                return new PageNumber(page - count + 1);
            }
        }

        throw new InvalidOperationException("the model is full");
    }
}
