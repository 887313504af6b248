using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Voron.House.Tests.Rules;

/// <summary>In src and bench a file holds one top-level type and is named after it (a part of a partial type: Name.Part.cs).</summary>
internal static class TypePerFileRule
{
    internal const string Id = "type-per-file";

    internal static IEnumerable<Finding> Check(SourceSet sources) =>
        sources.Files.Where(file => file.IsUnder("src") || file.IsUnder("bench")).SelectMany(Check);

    private static IEnumerable<Finding> Check(SourceFile file)
    {
        List<MemberDeclarationSyntax> types =
        [
            .. file.Unit.DescendantNodes(node => node is CompilationUnitSyntax or BaseNamespaceDeclarationSyntax)
                .OfType<MemberDeclarationSyntax>()
                .Where(member => member is BaseTypeDeclarationSyntax or DelegateDeclarationSyntax),
        ];
        bool hasStatements = file.Unit.Members.OfType<GlobalStatementSyntax>().Any();
        if (types.Count + (hasStatements ? 1 : 0) > 1)
        {
            string also = hasStatements ? " beside top-level statements" : string.Empty;
            string names = string.Join(", ", types.Select(NameOf));
            yield return new Finding(Id, file.Path, types.Count, $"holds {names}{also}. Give each type its own file, named after it.");
        }
        else if (types.Count == 1 && !IsNamedAfter(file.Name, types[0]))
        {
            yield return new Finding(Id, file.Path, 1, $"holds {NameOf(types[0])}. Call the file {NameOf(types[0])}.cs.");
        }
    }

    private static bool IsNamedAfter(string fileName, MemberDeclarationSyntax type) =>
        fileName == NameOf(type) + ".cs"
        || (type.Modifiers.Any(SyntaxKind.PartialKeyword) && fileName.StartsWith(NameOf(type) + ".", StringComparison.Ordinal));

    private static string NameOf(MemberDeclarationSyntax type) =>
        type is DelegateDeclarationSyntax @delegate ? @delegate.Identifier.Text : ((BaseTypeDeclarationSyntax)type).Identifier.Text;
}
