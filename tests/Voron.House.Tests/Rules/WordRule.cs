using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Voron.House.Tests.Rules;

/// <summary>
/// Words that say nothing, or name another engine's parts, are in no name that this house gives: declared identifiers and file names.
/// Names that are only used (a framework's FileInfo) are not looked at.
/// </summary>
internal static partial class WordRule
{
    internal const string Id = "words";

    private static readonly HashSet<string> Forbidden = new(StringComparer.OrdinalIgnoreCase)
    {
        "manager", "helper", "util", "utility", "utilities", "impl", "info", "scratch", "pager",
    };

    internal static IEnumerable<Finding> Check(SourceSet sources) => sources.Files.SelectMany(Check);

    /// <summary>The first forbidden word in a name, split at capitals, digits and underscores; null when it has none.</summary>
    internal static string? FirstForbidden(string name)
    {
        if (name.Contains("data2", StringComparison.OrdinalIgnoreCase))
        {
            return "data2";
        }

        return Words().Matches(name).Select(match => match.Value).FirstOrDefault(word => Forbidden.Contains(word)
            || Forbidden.Contains(word.TrimEnd('s')));
    }

    private static IEnumerable<Finding> Check(SourceFile file)
    {
        foreach (string part in file.Path.Split('/'))
        {
            if (FirstForbidden(part) is { } word)
            {
                yield return new Finding(Id, file.Path, 1, $"'{part}' has the word '{word}'. Say what it does instead.");
            }
        }

        foreach (SyntaxToken token in file.Unit.DescendantTokens().Where(token => token.IsKind(SyntaxKind.IdentifierToken)
            && IsDeclared(token)))
        {
            if (FirstForbidden(token.ValueText) is { } word)
            {
                int line = file.LineOf(token.Parent!);
                yield return new Finding(
                    Id, file.Path, 1, $"line {line}: '{token.ValueText}' has the word '{word}'. Say what it does instead.");
            }
        }
    }

    private static bool IsDeclared(SyntaxToken token) => token.Parent switch
    {
        MemberDeclarationSyntax member => !member.Modifiers.Any(SyntaxKind.OverrideKeyword),
        IdentifierNameSyntax name => name.Ancestors()
            .TakeWhile(node => node is not MemberDeclarationSyntax and not UsingDirectiveSyntax).All(node => node is NameSyntax)
            && name.Ancestors().FirstOrDefault(node => node is not NameSyntax) is BaseNamespaceDeclarationSyntax,
        SimpleNameSyntax => false,
        _ => true,
    };

    [GeneratedRegex("[A-Z]+(?![a-z])|[A-Z]?[a-z]+")]
    private static partial Regex Words();
}
