using System.Text.RegularExpressions;

namespace Voron.House.Tests.Rules;

/// <summary>Whoever catches an error of the engine finds its section: what it means, when it comes and what to do.</summary>
internal static partial class TroubleshootingRule
{
    internal const string Id = "troubleshooting";
    internal const string Document = "docs/troubleshooting.md";

    private static readonly string[] Parts = ["**What.**", "**When.**", "**Do.**"];

    internal static IEnumerable<Finding> Check(string document, IEnumerable<string> exceptions)
    {
        Dictionary<string, string> sections = Heading().Matches(document)
            .ToDictionary(static heading => heading.Groups["name"].Value, static heading => heading.Groups["text"].Value);
        HashSet<string> names = [.. exceptions];
        foreach (string name in names.Where(name => !sections.ContainsKey(name)))
        {
            yield return new Finding(Id, Document, 1, $"has no section '## {name}'.");
        }

        foreach ((string name, string text) in sections.Where(section => section.Key.EndsWith("Exception", StringComparison.Ordinal)))
        {
            if (!names.Contains(name))
            {
                yield return new Finding(Id, Document, 1, $"has a section for {name}, which the engine does not throw.");
            }

            foreach (string part in Parts.Where(part => !text.Contains($"\n{part} ", StringComparison.Ordinal)))
            {
                yield return new Finding(Id, Document, 1, $"{name}: no paragraph begins with {part}");
            }
        }
    }

    [GeneratedRegex(@"^## (?<name>[A-Za-z]+)\n(?<text>(?:(?!^## ).*\n?)*)", RegexOptions.Multiline)]
    private static partial Regex Heading();
}
