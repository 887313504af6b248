using System.CommandLine;
using System.CommandLine.Parsing;
using System.Text.RegularExpressions;

namespace Voron.Cli;

/// <summary>What is wrong with a command line, in words of its own, with the word that was probably meant.</summary>
internal static partial class UsageProblem
{
    /// <summary>A word that differs in more places is no typing error.</summary>
    private const int MostEdits = 2;

    /// <summary>Verbs of other tools, and what does the same here.</summary>
    private static readonly Dictionary<string, string> Synonyms = new(StringComparer.OrdinalIgnoreCase)
    {
        ["add"] = "put", ["set"] = "put", ["rm"] = "delete", ["del"] = "delete", ["remove"] = "delete", ["cat"] = "get",
        ["ls"] = "trees", ["list"] = "scan", ["keys"] = "scan", ["info"] = "stat", ["stats"] = "stat",
        ["export"] = "dump", ["import"] = "load", ["fsck"] = "check", ["repair"] = "salvage", ["recover"] = "salvage", ["help"] = "--help",
    };

    /// <summary>Null when the line is understood.</summary>
    internal static string? Of(ParseResult parsed)
    {
        // The parser takes an option that it does not know for the next argument, if there may be one.
        bool isForced = parsed.Tokens.Any(static token => token.Type == TokenType.DoubleDash);
        string? option = isForced ? null : Arguments(parsed).FirstOrDefault(static word => word.StartsWith("--", StringComparison.Ordinal));
        if (option is not null)
        {
            return Unknown(option, parsed) + " An argument that begins so comes last, after '--'.";
        }

        // What follows an unknown word is mostly unknown because of it.
        return parsed.UnmatchedTokens is [{ } first, ..] ? Unknown(first, parsed)
            : parsed.Errors.Count > 0 ? string.Join(" ", parsed.Errors.Select(static error => InOwnWords(error.Message)))
            : null;
    }

    private static IEnumerable<string> Arguments(ParseResult parsed) =>
        parsed.CommandResult.Children.OfType<ArgumentResult>().SelectMany(static one => one.Tokens).Select(static token => token.Value);

    private static string Unknown(string word, ParseResult parsed)
    {
        Command command = parsed.CommandResult.Command;
        string? meant = command.Subcommands.Count > 0 && Synonyms.TryGetValue(word, out string? same)
            ? same : Closest(word, Words(command));
        return $"'{word}' is not known here." + (meant is null ? string.Empty : $" Did you mean '{meant}'?");
    }

    /// <summary>The parser names types of the runtime; a user of the tool knows numbers.</summary>
    private static string InOwnWords(string message)
    {
        Match wrongType = WrongType().Match(message);
        return wrongType.Success
            ? $"'{wrongType.Groups["given"].Value}' is not a whole number ({wrongType.Groups["name"].Value})."
            : message;
    }

    private static IEnumerable<string> Words(Command command) =>
        command.Subcommands.Select(static one => one.Name).Concat(command.Options.Select(static one => one.Name)).Append("--json");

    private static string? Closest(string word, IEnumerable<string> words) => words
        .Select(known => (known, edits: Edits(word, known)))
        .Where(static one => one.edits <= MostEdits)
        .OrderBy(static one => one.edits)
        .Select(static one => one.known)
        .FirstOrDefault();

    /// <summary>Insertions, deletions and replacements that change one word into the other.</summary>
    private static int Edits(string from, string to)
    {
        int[] row = [.. Enumerable.Range(0, to.Length + 1)];
        for (int i = 1; i <= from.Length; i++)
        {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.Length; j++)
            {
                int replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.Min(replaced, Math.Min(row[j], row[j - 1]) + 1);
            }
        }

        return row[^1];
    }

    [GeneratedRegex("^Cannot parse argument '(?<given>.*)' for (option|command|argument) '(?<name>.*)' as expected type")]
    private static partial Regex WrongType();
}
