using FluentAssertions;
using Voron.Storage.Transactions;
using Xunit;

namespace Voron.Storage.Tests.Commits;

/// <summary>How many pending entries a commit merges.</summary>
public sealed class MergeDebtTests
{
    private const int LeastOwn = 64;
    private const int Own = 100 + 25 + LeastOwn;
    private readonly MergeDebt _debt = new(LeastOwn);

    [Fact]
    public void A_commit_merges_a_few_more_than_it_adds() => Take().Should().Be(Own);

    [Fact]
    public void What_is_not_worth_a_merge_is_added_up()
    {
        Take(least: 500).Should().Be(0);
        Take(least: 500).Should().Be(0);
        Take(least: 500).Should().Be(500);
        Take(least: 500).Should().Be(0, "67 were left");
        Take(least: 256).Should().Be(2 * Own, "as many again as it owes itself");
    }

    [Fact]
    public void What_waited_for_memory_is_made_up_for_by_later_commits()
    {
        for (int i = 0; i < 3; i++)
        {
            Take(isMemoryFull: true).Should().Be(0);
        }

        for (int i = 0; i < 3; i++)
        {
            Take().Should().Be(2 * Own);
        }

        Take().Should().Be(Own);
    }

    [Fact]
    public void A_debt_that_is_forgotten_is_not_paid()
    {
        Take(isMemoryFull: true).Should().Be(0);
        _debt.Clear();
        Take().Should().Be(Own);
    }

    [Fact]
    public void A_debt_has_a_limit()
    {
        const int Puts = 1 << 30;
        _debt.Take(Puts, 1, isMemoryFull: true).Should().Be(0);
        _debt.Take(Puts, 1, isMemoryFull: true).Should().Be(0);
        _debt.Take(0, int.MaxValue, isMemoryFull: false).Should().Be(0);
        _debt.Take(0, 1 << 20, isMemoryFull: false).Should().Be(1 << 20);
        Take().Should().Be(Own + LeastOwn, "no more was left of the two large commits");
    }

    [Fact]
    public void A_large_commit_merges_for_all_of_its_puts()
    {
        const int Puts = 1 << 30;
        _debt.Take(Puts, 1, isMemoryFull: false).Should().Be(Puts + (Puts / 4) + LeastOwn);
    }

    private int Take(int least = 1, bool isMemoryFull = false) => _debt.Take(100, least, isMemoryFull);
}
