using FluentAssertions;
using Microsoft.Playwright;
using Voron.Storage;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Samples.Tests.Pages;

/// <summary>The page that <c>voron space --html</c> writes, as a browser without scripts draws it.</summary>
public sealed class SpacePageTests(OneBrowser browser) : IClassFixture<OneBrowser>
{
    private const string PixelOf = """
        async ([png, x, y]) => {
            const image = new Image();
            image.src = "data:image/png;base64," + png;
            await image.decode();
            const canvas = new OffscreenCanvas(1, 1).getContext("2d");
            canvas.drawImage(image, -x, -y);
            return canvas.getImageData(0, 0, 1, 1).data.join(",");
        }
        """;

    private const string Painted = """
        color => {
            const canvas = new OffscreenCanvas(1, 1).getContext("2d");
            canvas.fillStyle = color;
            canvas.fillRect(0, 0, 1, 1);
            return canvas.getImageData(0, 0, 1, 1).data.join(",");
        }
        """;

    [Fact]
    public async Task Map_trees_and_journal_are_drawn_in_their_colours()
    {
        using TemporaryFolder folder = new();
        string file = Path.Combine(folder.Path, "space.html");
        Sample.Run(Sample.Tool, folder.Path, "space", Fill(folder), "--html", file);
        List<string> complaints = [];
        List<string> requests = [];
        IPage page = await browser.NewPageAsync(complaints, requests, hasScripts: false);
        await page.GotoAsync(new Uri(file).AbsoluteUri);
        string picture = Convert.ToBase64String(await page.ScreenshotAsync(new() { FullPage = true }));
        IPage judge = await browser.NewPageAsync(complaints, []);

        // Two trees, free pages and the headers; the fill of pages; and the topmost bar of the journal, which is what is replayed.
        (string, int)[] sections = [("#map rect", 4), ("#trees rect", 1), ("#journal rect[fill='#1e88e5']", 1)];
        foreach ((string section, int colors) in sections)
        {
            HashSet<string> seen = [];
            foreach (ILocator rect in await page.Locator(section).AllAsync())
            {
                string color = (await rect.GetAttributeAsync("fill"))!;
                if (!seen.Contains(color) && await rect.BoundingBoxAsync() is { Width: >= 2, Height: >= 2 } box)
                {
                    object[] place = [picture, (int)(box.X + (box.Width / 2)), (int)(box.Y + (box.Height / 2))];
                    (await judge.EvaluateAsync<string>(PixelOf, place))
                        .Should().Be(await judge.EvaluateAsync<string>(Painted, color), "{0} is {1}", section, color);
                    seen.Add(color);
                }
            }

            seen.Should().HaveCountGreaterThanOrEqualTo(colors);
        }

        complaints.Should().BeEmpty();
        requests.Should().ContainSingle("the page needs no other file");
    }

    /// <summary>Two trees and free pages, and a journal that an open replays.</summary>
    private static string Fill(TemporaryFolder folder)
    {
        string path = Path.Combine(folder.Path, "db");
        using StorageEnvironment environment = StorageEnvironment.Open(path, new StorageOptions { PageSize = 4096 });
        Put(environment, "users", 0, 2000);
        Put(environment, "orders", 0, 2000);
        using (WriteTransaction transaction = environment.BeginWrite())
        {
            transaction.OpenTree("users").DeleteRange("k01000"u8, "k02000"u8);
            transaction.Commit();
        }

        environment.Checkpoint();
        environment.Checkpoint();
        Put(environment, "users", 0, 4000);
        string copy = Path.Combine(folder.Path, "killed");
        TemporaryFolder.Copy(path, copy);
        return copy;
    }

    private static void Put(StorageEnvironment environment, string tree, int from, int to)
    {
        using WriteTransaction transaction = environment.BeginWrite();
        Tree users = transaction.OpenTree(tree);
        for (int i = from; i < to; i++)
        {
            users.Put(System.Text.Encoding.UTF8.GetBytes($"k{i:d5}"), new byte[100]);
        }

        transaction.Commit();
    }
}
