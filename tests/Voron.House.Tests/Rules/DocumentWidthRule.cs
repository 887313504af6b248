namespace Voron.House.Tests.Rules;

/// <summary>
/// Documents are wrapped at 100 columns, so that they can be read and compared as text. Code and tables are as wide as they are.
/// </summary>
internal static class DocumentWidthRule
{
    internal const string Id = "document-columns";
    internal const int MaxColumns = 100;

    internal static IEnumerable<Finding> Check(SourceFile document)
    {
        bool isCode = false;
        for (int i = 0; i < document.Lines.Count; i++)
        {
            string line = document.Lines[i].TrimEnd('\r');
            isCode ^= line.StartsWith("```", StringComparison.Ordinal);
            bool isText = !isCode && line.Length > 0 && line[0] is not ('|' or '<' or '!' or '#');
            string words = line.Trim().TrimEnd('.', ',', ';', ':');
            bool isOneCode = words.StartsWith('`') && words.IndexOf('`', 1) == words.Length - 1;
            if (isText && line.Length > MaxColumns && !isOneCode && words.Contains(' ', StringComparison.Ordinal))
            {
                yield return new Finding(Id, document.Path, i + 1, $"line {i + 1} is wider than {MaxColumns} columns. Wrap.");
            }
        }
    }
}
