using FluentAssertions;
using Microsoft.Playwright;
using Voron.Samples.Tests.Pages;
using Xunit;

namespace Voron.Samples.Tests.Clusters;

/// <summary>The page of the cluster, from which the node that served it is killed.</summary>
public sealed class ClusterPageTests(OneBrowser browser) : IClassFixture<OneBrowser>
{
    private const float Patience = 180_000;

    [Fact]
    public async Task A_leader_is_killed_and_started_and_the_page_shows_it()
    {
        // Without a browser nothing has to be started.
        IPage page = await browser.NewPageAsync([], []);
        using RunningCluster cluster = await RunningCluster.StartAsync("nats");
        OneProcess leader = await cluster.LeaderAsync(cluster.Nodes);
        await page.GotoAsync(leader.Url);
        await ExpectAsync($"#{leader.Name} .role", "leader");
        await Assertions.Expect(page.Locator("#nodes .card")).ToHaveCountAsync(3);
        await Assertions.Expect(page.Locator("#log .card.running")).ToHaveCountAsync(3, new() { Timeout = Patience });
        await ExpectAsync($"#{leader.Name} dd.lag", "0");

        await page.ClickAsync($"#{leader.Name} .kill");
        await ExpectAsync($"#{leader.Name} .role", "dead");
        await Assertions.Expect(page.Locator("#nodes .card.leader")).ToHaveCountAsync(1, new() { Timeout = Patience });
        (await cluster.LeaderAsync([.. cluster.Nodes.Where(node => node != leader)])).Should().NotBe(leader);

        await page.ClickAsync($"#{leader.Name} .start");
        await ExpectAsync($"#{leader.Name} .role", "follower");
        await ExpectAsync($"#{leader.Name} dd.lag", "0");
        await cluster.EndAsync();

        Task ExpectAsync(string what, string text) =>
            Assertions.Expect(page.Locator(what)).ToHaveTextAsync(text, new() { Timeout = Patience });
    }
}
