using FluentAssertions;
using Microsoft.Playwright;
using Xunit;

namespace Voron.Samples.Tests.Pages;

/// <summary>The page of the server as a user works with it.</summary>
public sealed class ServerPageTests(OneServer one, OneBrowser browser) : IClassFixture<OneServer>, IClassFixture<OneBrowser>
{
    private readonly List<string> _complaints = [];
    private readonly List<string> _requests = [];

    [Fact]
    public async Task Documents_are_put_listed_read_and_deleted()
    {
        IPage page = await OpenAsync();
        await page.FillAsync("#collection", "users");
        await page.FillAsync("#id", "a/42 <b>");
        await page.FillAsync("#body", "{\"name\":\"Ädä\"}");
        await page.ClickAsync("#put");
        await page.GetByText("users/a/42 <b> is on the device").WaitForAsync();
        (await one.Client.GetStringAsync("docs/users/a/42 <b>")).Should().Be("{\"name\":\"Ädä\"}");

        using (StringContent other = new("from elsewhere"))
        {
            await one.Client.PutAsync("docs/users/b1", other);
        }

        await page.ReloadAsync();
        await page.Locator("#collections button", new() { HasText = "users" }).ClickAsync();
        await page.Locator("#ids button", new() { HasText = "b1" }).ClickAsync();
        await page.GetByText("users/b1 has 14 bytes.").WaitForAsync();
        (await page.InputValueAsync("#body")).Should().Be("from elsewhere");
        await page.FillAsync("#prefix", "a/");
        await Assertions.Expect(page.Locator("#ids button")).ToHaveCountAsync(1);
        await Assertions.Expect(page.Locator("#ids button span")).ToHaveTextAsync("a/42 <b>");

        await page.ClickAsync("#delete");
        await page.GetByText("users/b1 is deleted.").WaitForAsync();
        _complaints.Should().BeEmpty();
        await page.ClickAsync("#get");
        await page.GetByText("404: there is no such document").WaitForAsync();
        _requests.Should().OnlyContain(url => new Uri(url).Authority == one.Client.BaseAddress!.Authority, "it needs no other server");
    }

    [Fact]
    public async Task Lists_go_on_where_they_end()
    {
        for (int i = 0; i < 150; i++)
        {
            using StringContent body = new("x");
            await one.Client.PutAsync($"docs/long/{i:d3}", body);
        }

        IPage page = await OpenAsync();
        await page.Locator("#collections button", new() { HasText = "long" }).ClickAsync();
        await Assertions.Expect(page.Locator("#ids button")).ToHaveCountAsync(100);
        await page.ClickAsync("#more");
        await Assertions.Expect(page.Locator("#ids button")).ToHaveCountAsync(150);
        await Assertions.Expect(page.Locator("#more")).ToBeHiddenAsync();
        _complaints.Should().BeEmpty();
    }

    [Fact]
    public async Task Metrics_are_live()
    {
        IPage page = await OpenAsync();
        await page.WaitForFunctionAsync("() => document.getElementById('metrics').dataset.commits !== undefined");
        double before = await page.EvaluateAsync<double>("() => Number(document.getElementById('metrics').dataset.commits)");
        for (int i = 0; i < 5; i++)
        {
            using StringContent body = new("x");
            await one.Client.PutAsync($"docs/live/{i}", body);
        }

        await page.WaitForFunctionAsync(
            "before => Number(document.getElementById('metrics').dataset.commits) >= before + 5", before);
        (await page.Locator(".tile").CountAsync()).Should().Be(6);
        (await page.InnerTextAsync("#size")).Should().MatchRegex(@"^[\d.]+ [KMG]iB$");
        (await page.InnerTextAsync("#lag")).Should().MatchRegex(@"^[\d.]+ (bytes|[KMG]iB)$");
        (await page.InnerTextAsync("#readers")).Should().MatchRegex(@"^\d+$");
        (await page.InnerTextAsync("#commits")).Should().MatchRegex(@"^[\d,]+$");
        (await page.Locator("polyline").First.GetAttributeAsync("points")).Should().NotBeEmpty();
        _complaints.Should().BeEmpty();
    }

    private async Task<IPage> OpenAsync()
    {
        IPage page = await browser.NewPageAsync(_complaints, _requests);
        await page.GotoAsync(one.Client.BaseAddress!.ToString());
        return page;
    }
}
