using System.Text;
using System.Text.RegularExpressions;

namespace Voron.Mutants;

/// <summary>
/// The table of rules that can be broken on purpose: the text files of the folder Table, one for each room of the engine.
/// </summary>
/// <remarks>
/// A block begins with <c>= Rule</c>; lines with <c>:</c> say what the rule protects and how it is broken. Each <c>@ File</c> begins an
/// edit in the form of a patch without line numbers: lines with a blank or a minus are the engine's, in a row and exactly once in that
/// file; lines with a blank or a plus replace them. In these, <c>Mutant.Rule</c> is true while that rule is broken.
/// </remarks>
public sealed partial class MutantTable
{
    private readonly List<MutantEdit> _edits = [];
    private readonly Dictionary<string, string> _rules = [];

    /// <summary>What each rule protects, by its name.</summary>
    public IReadOnlyDictionary<string, string> Rules => _rules;

    public IReadOnlyList<MutantEdit> Edits => _edits;

    /// <summary>Reads every text file of a folder.</summary>
    /// <exception cref="FormatException">A line has none of the forms above.</exception>
    public static MutantTable Load(string folder)
    {
        var table = new MutantTable();
        foreach (string file in Directory.EnumerateFiles(folder, "*.txt").Order(StringComparer.Ordinal))
        {
            table.Add(Path.GetFileName(file), File.ReadAllLines(file));
        }

        return table;
    }

    /// <summary>The file with all its edits made.</summary>
    /// <exception cref="FormatException">The text of an edit does not occur exactly once, or two edits overlap.</exception>
    public string Apply(string file, string text)
    {
        var places = new List<(int Start, MutantEdit Edit)>();
        foreach (MutantEdit edit in _edits.Where(edit => edit.File == file))
        {
            int start = Find(text, edit.Text, from: 0);
            if (start < 0 || Find(text, edit.Text, start + 1) >= 0)
            {
                throw new FormatException($"{edit.Place}: the text occurs {(start < 0 ? "nowhere" : "more than once")} in {file}.");
            }

            places.Add((start, edit));
        }

        var result = new StringBuilder();
        int copied = 0;
        foreach ((int start, MutantEdit edit) in places.OrderBy(static place => place.Start))
        {
            if (start < copied)
            {
                throw new FormatException($"{edit.Place}: the text overlaps that of another edit of {file}.");
            }

            result.Append(text, copied, start - copied).Append(edit.Replacement);
            copied = start + edit.Text.Length;
        }

        return result.Append(text, copied, text.Length - copied).ToString();
    }

    /// <summary>The class that the replacements use: one property for each rule.</summary>
    public string Switches()
    {
        var code = new StringBuilder("namespace Voron.Storage;\n\ninternal static class Mutant\n{\n");
        code.Append("    internal static string? Broken { get; set; }\n\n");
        code.Append("    internal static string[] Rules => [");
        code.AppendJoin(", ", _rules.Keys.Select(static rule => $"\"{rule}\"")).Append("];\n");
        foreach (string rule in _rules.Keys)
        {
            code.Append("\n    internal static bool ").Append(rule).Append(" => Broken == \"").Append(rule).Append("\";\n");
        }

        return code.Append("}\n").ToString();
    }

    /// <summary>The rules that an edit's replacement asks for.</summary>
    public static IEnumerable<string> RulesOf(MutantEdit edit) =>
        Switch().Matches(edit.Replacement).Select(static match => match.Groups[1].Value).Distinct();

    /// <summary>Where the text begins, at the start of a line.</summary>
    private static int Find(string text, string sought, int from)
    {
        for (int at = from; (at = text.IndexOf(sought, at, StringComparison.Ordinal)) >= 0; at++)
        {
            if (at == 0 || text[at - 1] == '\n')
            {
                return at;
            }
        }

        return -1;
    }

    private void Add(string table, string[] lines)
    {
        string rule = string.Empty;
        for (int i = 0; i < lines.Length; i++)
        {
            string line = lines[i];
            switch (line)
            {
                case ['=', ' ', .. string name]:
                    rule = name;
                    _rules.Add(rule, string.Empty);
                    break;
                case [':', ' ', .. string about] when rule.Length > 0:
                    _rules[rule] += _rules[rule].Length == 0 ? about : ' ' + about;
                    break;
                case ['@', ' ', .. string file] when rule.Length > 0:
                    int first = i + 1;
                    while (i + 1 < lines.Length && lines[i + 1] is [' ' or '-' or '+', ..])
                    {
                        i++;
                    }

                    string[] edit = lines[first..(i + 1)];
                    _edits.Add(new MutantEdit(file, Lines(edit, '-'), Lines(edit, '+'), $"{table}({first})"));
                    break;
                case "" or ['#', ..]:
                    break;
                default:
                    throw new FormatException($"{table}({i + 1}): a line begins with '=', ':', '@' or '#', or belongs to an edit: {line}");
            }
        }
    }

    private static string Lines(string[] edit, char own) =>
        string.Concat(edit.Where(line => line[0] == ' ' || line[0] == own).Select(static line => line[1..] + '\n'));

    [GeneratedRegex(@"\bMutant\.(\w+)")]
    private static partial Regex Switch();
}
