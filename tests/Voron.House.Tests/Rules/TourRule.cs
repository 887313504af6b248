using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Voron.House.Tests.Rules;

/// <summary>
/// Files and members that a document names as code exist: <c>Folder/File.cs</c> below src, and <c>Type.Member</c> of a type of src.
/// </summary>
internal static partial class TourRule
{
    internal const string Id = "tour";

    internal static IEnumerable<Finding> Check(IEnumerable<SourceFile> documents, SourceSet sources)
    {
        Dictionary<string, HashSet<string>> members = MembersByType(sources);
        HashSet<string> names = [.. sources.Files.Select(static file => file.Name)];
        foreach (SourceFile document in documents)
        {
            foreach (string code in Code().Matches(document.Text).Select(static match => match.Groups["code"].Value).Distinct())
            {
                if (Problem(code, sources, names, members) is { } problem)
                {
                    yield return new Finding(Id, document.Path, 1, $"it names `{code}`, but {problem}.");
                }
            }
        }
    }

    private static string? Problem(
        string code, SourceSet sources, HashSet<string> names, Dictionary<string, HashSet<string>> members)
    {
        if (code.EndsWith(".cs", StringComparison.Ordinal))
        {
            bool exists = code.Contains('/', StringComparison.Ordinal)
                ? sources.Files.Any(file => file.Path == code || file.Path.EndsWith('/' + code, StringComparison.Ordinal))
                : names.Contains(code);
            return exists ? null : "there is no such file";
        }

        Match member = Member().Match(code);
        return member.Success && members.TryGetValue(member.Groups["type"].Value, out HashSet<string>? declared)
            && !declared.Contains(member.Groups["member"].Value)
            ? $"{member.Groups["type"].Value} has no such member" : null;
    }

    private static Dictionary<string, HashSet<string>> MembersByType(SourceSet sources)
    {
        Dictionary<string, HashSet<string>> members = [];
        IEnumerable<BaseTypeDeclarationSyntax> types = sources.Product.SelectMany(
            static file => file.Unit.DescendantNodes().OfType<BaseTypeDeclarationSyntax>());
        foreach (BaseTypeDeclarationSyntax type in types)
        {
            if (!members.TryGetValue(type.Identifier.Text, out HashSet<string>? declared))
            {
                members.Add(type.Identifier.Text, declared = []);
            }

            declared.UnionWith(type.ChildNodes().SelectMany(NamesOf));
            if (type is TypeDeclarationSyntax { ParameterList: { } parameters })
            {
                declared.UnionWith(parameters.Parameters.Select(static parameter => parameter.Identifier.Text));
            }
        }

        // The members of a base class count as well, and that may be one of the framework, so such classes are not judged.
        foreach (BaseTypeDeclarationSyntax type in types.Where(HasBaseClass))
        {
            members.Remove(type.Identifier.Text);
        }

        return members;
    }

    private static bool HasBaseClass(BaseTypeDeclarationSyntax type) => type is ClassDeclarationSyntax { BaseList: { } bases }
        && bases.Types.Any(static one => one.Type.ToString() is not ['I', >= 'A' and <= 'Z', ..]);

    private static IEnumerable<string> NamesOf(Microsoft.CodeAnalysis.SyntaxNode node) => node switch
    {
        BaseFieldDeclarationSyntax field => field.Declaration.Variables.Select(static variable => variable.Identifier.Text),
        MethodDeclarationSyntax method => [method.Identifier.Text],
        PropertyDeclarationSyntax property => [property.Identifier.Text],
        EnumMemberDeclarationSyntax member => [member.Identifier.Text],
        BaseTypeDeclarationSyntax type => [type.Identifier.Text],
        _ => [],
    };

    [GeneratedRegex("`(?<code>[^`\n]+)`")]
    private static partial Regex Code();

    [GeneratedRegex(@"^(?<type>[A-Z]\w+)\.(?<member>[A-Z]\w+)(\(\))?$")]
    private static partial Regex Member();
}
