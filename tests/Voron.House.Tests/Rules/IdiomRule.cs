using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Voron.House.Tests.Rules;

/// <summary>
/// Comments of the product have threads, callers and pages as their subjects. Each word here has a plainer one; files that still use some
/// are in the ratchet, with how many.
/// </summary>
internal static class IdiomRule
{
    internal const string Id = "idiom";

    private static readonly Dictionary<string, string> Plainer = new(StringComparer.OrdinalIgnoreCase)
    {
        ["who"] = "the caller, the thread, the reader",
        ["whoever"] = "a caller that, the thread that",
        ["nobody"] = "no caller, no reader",
        ["somebody"] = "a caller, a reader",
        ["a look"] = "a check",
        ["so many"] = "the number of",
    };

    private static readonly Regex Words = new($@"\b({string.Join('|', Plainer.Keys)})\b", RegexOptions.IgnoreCase);

    internal static IEnumerable<Finding> Check(SourceSet sources) => sources.Product.Select(Check).OfType<Finding>();

    private static Finding? Check(SourceFile file)
    {
        List<Match> found = [];
        foreach (SyntaxTrivia trivia in file.Unit.DescendantTrivia())
        {
            if (trivia.Kind() is SyntaxKind.SingleLineCommentTrivia or SyntaxKind.MultiLineCommentTrivia
                or SyntaxKind.SingleLineDocumentationCommentTrivia or SyntaxKind.MultiLineDocumentationCommentTrivia)
            {
                found.AddRange(Words.Matches(trivia.ToFullString()));
            }
        }

        return found.Count == 0 ? null : new Finding(
            Id, file.Path, found.Count, $"'{found[0].Value}' in a comment. Say for example {Plainer[found[0].Value]}.");
    }
}
