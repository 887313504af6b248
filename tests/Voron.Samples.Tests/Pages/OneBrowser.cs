using Microsoft.Playwright;
using Xunit;

namespace Voron.Samples.Tests.Pages;

/// <summary>A headless Chromium of the system for several tests; Playwright would bring one of its own, which is not needed.</summary>
public sealed class OneBrowser : IAsyncLifetime
{
    private static readonly string? Program =
        new[] { "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome" }.FirstOrDefault(File.Exists);

    private IPlaywright? _playwright;
    private IBrowser? _browser;

    public async ValueTask InitializeAsync()
    {
        if (Program is not null)
        {
            _playwright = await Playwright.CreateAsync();
            _browser = await _playwright.Chromium.LaunchAsync(new BrowserTypeLaunchOptions
            {
                ExecutablePath = Program,
                Args = ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb", "--hide-scrollbars"],
            });
        }
    }

    /// <summary>An empty page. What it complains about and asks for goes to the lists.</summary>
    internal async Task<IPage> NewPageAsync(List<string> complaints, List<string> requests, bool hasScripts = true)
    {
        Assert.SkipWhen(_browser is null, "chromium is not installed: apt-get install chromium");
        IBrowserContext context = await _browser.NewContextAsync(new BrowserNewContextOptions
        {
            ColorScheme = ColorScheme.Light,
            JavaScriptEnabled = hasScripts,
            ViewportSize = new ViewportSize { Width = 1200, Height = 900 },
        });
        IPage page = await context.NewPageAsync();
        page.PageError += (_, error) => complaints.Add(error);
        page.Console += (_, said) => complaints.Add($"{said.Type}: {said.Text}");
        page.Request += (_, request) => requests.Add(request.Url);
        return page;
    }

    public async ValueTask DisposeAsync()
    {
        if (_browser is not null)
        {
            await _browser.DisposeAsync();
        }

        _playwright?.Dispose();
    }
}
