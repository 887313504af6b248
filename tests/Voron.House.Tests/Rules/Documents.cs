namespace Voron.House.Tests.Rules;

/// <summary>The documents for users: the front page, the log of changes and the pages of docs.</summary>
internal static class Documents
{
    internal static IEnumerable<SourceFile> All =>
        [.. Repository.Files(string.Empty, ".md"), .. Repository.Files("docs", ".md"), .. Repository.Files("tests", "README.md"),
        .. Repository.Files("samples", "README.md")];

    internal static string Text(string path) => File.ReadAllText(Path.Combine(Repository.Root, path));
}
