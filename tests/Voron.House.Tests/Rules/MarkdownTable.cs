namespace Voron.House.Tests.Rules;

/// <summary>Tables of documents, as rows of cells.</summary>
internal static class MarkdownTable
{
    /// <summary>Rows of the first table whose head begins with these cells; none when there is no such table.</summary>
    internal static IReadOnlyList<string[]> Headed(string document, params string[] heads)
    {
        string[] lines = document.ReplaceLineEndings("\n").Split('\n');
        int at = Array.FindIndex(lines, line => line.StartsWith('|') && Cells(line).Take(heads.Length).SequenceEqual(heads));
        return at < 0 ? [] : After(lines, at - 1);
    }

    /// <summary>Rows of the first table after the line and before the next heading, without its two head lines.</summary>
    internal static List<string[]> After(string[] lines, int at) =>
    [
        .. lines.Skip(at + 1)
            .TakeWhile(line => !line.StartsWith('#'))
            .SkipWhile(line => !line.StartsWith('|'))
            .TakeWhile(line => line.StartsWith('|'))
            .Skip(2)
            .Select(Cells),
    ];

    private static string[] Cells(string line) => [.. line.Trim().Trim('|').Split('|').Select(cell => cell.Trim())];
}
