using System.Text.RegularExpressions;

namespace Voron.House.Tests.Rules;

/// <summary>A relative link in a document leads to a file of the repository, and its anchor to a heading there.</summary>
internal static partial class LinkRule
{
    internal const string Id = "links";

    internal static IEnumerable<Finding> Check(IEnumerable<SourceFile> documents, Func<string, string?> read)
    {
        foreach (SourceFile document in documents)
        {
            foreach (Match link in Link().Matches(document.Text))
            {
                string target = link.Groups["target"].Value;
                if (target.Contains("://", StringComparison.Ordinal) || target.StartsWith("mailto:", StringComparison.Ordinal))
                {
                    continue;
                }

                if (Problem(document, target, read) is { } problem)
                {
                    yield return new Finding(Id, document.Path, 1, $"the link to '{target}' leads nowhere: {problem}.");
                }
            }
        }
    }

    private static string? Problem(SourceFile document, string target, Func<string, string?> read)
    {
        string[] parts = target.Split('#');
        string folder = Path.GetDirectoryName(document.Path)!.Replace('\\', '/');
        string path = parts[0].Length == 0 ? document.Path : Normalize(Path.Combine(folder, parts[0]));
        return read(path) is not { } text ? $"there is no {path}"
            : parts.Length > 1 && !Anchors(text).Contains(parts[1]) ? $"{path} has no heading #{parts[1]}" : null;
    }

    private static IEnumerable<string> Anchors(string text) => Heading().Matches(text).Select(static heading =>
        Dropped().Replace(heading.Groups["text"].Value.ToLowerInvariant(), string.Empty).Replace(' ', '-'));

    private static string Normalize(string path) =>
        Path.GetRelativePath(Path.GetFullPath("/"), Path.GetFullPath(Path.Combine("/", path))).Replace('\\', '/');

    [GeneratedRegex(@"\]\((?<target>[^)\s]+)\)")]
    private static partial Regex Link();

    [GeneratedRegex("^#{1,6} (?<text>.+)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex(@"[^\w\- ]")]
    private static partial Regex Dropped();
}
