using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Voron.House.Tests.Rules;

/// <summary>
/// Files, types, functions and lines stay short enough to be read at one sitting. The parts of a type count together: a type that is split
/// over files is as long as before.
/// </summary>
internal static class SizeRule
{
    internal const string FileLines = "file-lines";
    internal const string TypeLines = "type-lines";
    internal const string FunctionLines = "function-lines";
    internal const string LineColumns = "line-columns";

    internal const int MaxFileLines = 400;
    internal const int MaxFunctionLines = 70;
    internal const int MaxColumns = 140;

    internal static IEnumerable<Finding> Check(SourceSet sources) =>
        sources.Files.SelectMany(file => File(file).Concat(Functions(file))).Concat(Types(sources));

    /// <summary>Types in one file are judged by its length.</summary>
    private static IEnumerable<Finding> Types(SourceSet sources) =>
        from file in sources.Files
        from type in file.Unit.DescendantNodes().OfType<TypeDeclarationSyntax>()
        where type.Parent is BaseNamespaceDeclarationSyntax && type.Modifiers.Any(SyntaxKind.PartialKeyword)
        let space = ((BaseNamespaceDeclarationSyntax)type.Parent!).Name.ToString()
        group file.Lines.Count by $"{space}.{type.Identifier.Text}" into parts
        where parts.Count() > 1 && parts.Sum() > MaxFileLines
        select new Finding(
            TypeLines,
            parts.Key,
            parts.Sum(),
            $"{parts.Sum()} lines in {parts.Count()} files, at most {MaxFileLines}. Give a part of it its own type.");

    private static IEnumerable<Finding> File(SourceFile file)
    {
        IReadOnlyList<string> lines = file.Lines;
        if (lines.Count > MaxFileLines)
        {
            yield return new Finding(
                FileLines, file.Path, lines.Count, $"{lines.Count} lines, at most {MaxFileLines}. Give a part of it its own type.");
        }

        List<int> wide = [.. Enumerable.Range(0, lines.Count).Where(i => lines[i].TrimEnd('\r').Length > MaxColumns).Select(i => i + 1)];
        if (wide.Count > 0)
        {
            yield return new Finding(
                LineColumns,
                file.Path,
                wide.Count,
                $"line {string.Join(", ", wide.Take(8))} {(wide.Count == 1 ? "is" : "are")} wider than {MaxColumns} columns. Wrap.");
        }
    }

    private static IEnumerable<Finding> Functions(SourceFile file)
    {
        Dictionary<string, long> longest = [];
        foreach (SyntaxNode function in file.Unit.DescendantNodes().Where(IsFunction))
        {
            FileLinePositionSpan span = file.Tree.GetLineSpan(function.Span);
            Note(NameOf(function), span.EndLinePosition.Line - span.StartLinePosition.Line + 1);
        }

        Note("Main", MainLines(file));
        return longest
            .Where(entry => entry.Value > MaxFunctionLines)
            .Select(entry => new Finding(
                FunctionLines,
                $"{file.Path}#{entry.Key}",
                entry.Value,
                $"{entry.Value} lines, at most {MaxFunctionLines}. Take a step out and name it."));

        // Overloads share a name and so a mark; the longest one counts.
        void Note(string name, long lines) => longest[name] = Math.Max(lines, longest.GetValueOrDefault(name));
    }

    /// <summary>A function that is no part of another one: what is inside counts with what is around it.</summary>
    private static bool IsFunction(SyntaxNode node) => node switch
    {
        BaseMethodDeclarationSyntax or AccessorDeclarationSyntax => true,
        BasePropertyDeclarationSyntax property => property.AccessorList is null,
        LocalFunctionStatementSyntax { Parent: GlobalStatementSyntax } => true,
        AnonymousFunctionExpressionSyntax => !node.Ancestors().Any(IsAround),
        _ => false,
    };

    private static bool IsAround(SyntaxNode above) =>
        above is AnonymousFunctionExpressionSyntax or GlobalStatementSyntax || IsFunction(above);

    private static long MainLines(SourceFile file) => file.Unit.Members
        .OfType<GlobalStatementSyntax>()
        .Where(member => member.Statement is not LocalFunctionStatementSyntax)
        .Select(member => file.Tree.GetLineSpan(member.Span))
        .Sum(span => (long)span.EndLinePosition.Line - span.StartLinePosition.Line + 1);

    private static string NameOf(SyntaxNode function)
    {
        string own = function switch
        {
            MethodDeclarationSyntax method => method.Identifier.Text,
            ConstructorDeclarationSyntax => "new",
            DestructorDeclarationSyntax => "finalizer",
            OperatorDeclarationSyntax @operator => "operator" + @operator.OperatorToken.Text,
            ConversionOperatorDeclarationSyntax => "conversion",
            AccessorDeclarationSyntax accessor => $"{NameOf(accessor.Parent!.Parent!)}.{accessor.Keyword.Text}",
            PropertyDeclarationSyntax property => property.Identifier.Text,
            EventDeclarationSyntax @event => @event.Identifier.Text,
            IndexerDeclarationSyntax => "this",
            LocalFunctionStatementSyntax local => local.Identifier.Text,
            _ => "lambda",
        };
        BaseTypeDeclarationSyntax? type = function is AccessorDeclarationSyntax
            ? null : function.Ancestors().OfType<BaseTypeDeclarationSyntax>().FirstOrDefault();
        return type is null ? own : $"{type.Identifier.Text}.{own}";
    }
}
