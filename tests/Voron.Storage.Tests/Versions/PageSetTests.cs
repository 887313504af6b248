using FluentAssertions;
using Voron.Storage.Format;
using Voron.Storage.Versions;
using Xunit;

namespace Voron.Storage.Tests.Versions;

/// <summary>The set of page numbers against a sorted set.</summary>
public class PageSetTests
{
    [Fact]
    public void It_has_what_was_added_and_finds_the_last_of_any_range()
    {
        int seed = Random.Shared.Next();
        Random random = new(seed);
        PageSet set = new();
        SortedSet<long> model = [];
        for (int i = 0; i < 300; i++)
        {
            long first = random.Next(3) == 0 ? random.NextInt64(1L << 30) : random.Next(70_000);
            long count = random.Next(5) == 0 ? random.Next(1, 400) : 1;
            set.Add(new PageNumber(first), count);
            for (long page = first; page < first + count; page++)
            {
                model.Add(page);
            }

            long low = random.Next(2) == 0 ? random.NextInt64(1L << 30) : random.Next(70_000);
            long end = random.Next(4) == 0 ? long.MaxValue : low + random.Next(random.Next(1, 80_000));
            long expected = low >= end ? -1 : model.GetViewBetween(low, end - 1) is { Count: > 0 } inside ? inside.Max : -1;
            set.Last(new PageNumber(low), new PageNumber(end)).Should().Be(new PageNumber(expected), "seed {0}, step {1}", seed, i);
        }

        set.Count.Should().Be(model.Count);
    }
}
