using System.Text.RegularExpressions;
using FluentAssertions;
using Voron.Storage.Tests.Doors;
using Xunit;

namespace Voron.Samples.Tests;

public sealed partial class QuickStartTests
{
    [Fact]
    public void It_is_the_example_of_the_front_page_and_prints_what_that_says()
    {
        string page = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "README.md"));
        File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "QuickStart.cs.txt")).Should()
            .Be(Example().Match(page).Groups["code"].Value);
        using TemporaryFolder folder = new();
        string printed = Sample.Run(Sample.QuickStart, folder.Path).Trim();
        page.Should().Contain($"It prints `{printed}`.");
        Sample.Run(Sample.QuickStart, folder.Path).Trim().Should().Be(printed, "it was there, and is replaced by itself");
    }

    [GeneratedRegex("```csharp\n(?<code>.*?)```", RegexOptions.Singleline)]
    private static partial Regex Example();
}
