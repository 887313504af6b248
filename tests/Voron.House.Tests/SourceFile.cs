using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Voron.House.Tests;

/// <summary>
/// A text of the working copy, or an invented one that a rule is tried on. The path is relative to the root, with forward slashes.
/// </summary>
internal sealed class SourceFile(string path, string text)
{
    /// <summary>Code of the builds with checks and with mutants is seen as well.</summary>
    private static readonly CSharpParseOptions Options =
        new(LanguageVersion.Preview, DocumentationMode.Parse, preprocessorSymbols: ["CHECKED", "MUTANTS"]);

    /// <summary>Made once, whoever asks first: test classes run side by side, and the compilation knows a tree by identity.</summary>
    private readonly Lazy<SyntaxTree> _tree = new(() => CSharpSyntaxTree.ParseText(text, Options, path));

    internal string Path { get; } = path;

    internal string Text { get; } = text;

    internal SyntaxTree Tree => _tree.Value;

    internal CompilationUnitSyntax Unit => Tree.GetCompilationUnitRoot();

    internal string Name => Path[(Path.LastIndexOf('/') + 1)..];

    /// <summary>Lines of the text; an end-of-line at the very end does not begin another one.</summary>
    internal IReadOnlyList<string> Lines
    {
        get
        {
            string[] lines = Text.Split('\n');
            return lines[^1].Length == 0 ? lines[..^1] : lines;
        }
    }

    internal bool IsUnder(string folder) => Path.StartsWith(folder + "/", StringComparison.Ordinal);

    internal int LineOf(SyntaxNode node) => Tree.GetLineSpan(node.Span).StartLinePosition.Line + 1;
}
