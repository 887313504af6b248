using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Voron.House.Tests.Rules;

/// <summary>Each file says which rooms it names: no global using of a room, neither in code nor in a project file.</summary>
internal static class GlobalUsingRule
{
    internal const string Id = "global-using";

    internal static IEnumerable<Finding> Check(SourceSet sources, IEnumerable<SourceFile> projects) =>
        sources.Files.SelectMany(CheckSource).Concat(projects.SelectMany(CheckProject));

    private static IEnumerable<Finding> CheckSource(SourceFile file) => file.Unit.Usings
        .Where(line => line.GlobalKeyword != default && line.DescendantTokens().Any(token => token.ValueText == "Voron"))
        .Select(line => new Finding(Id, file.Path, 1, $"line {file.LineOf(line)}: '{line}'. Name the room in the files that use it."));

    private static IEnumerable<Finding> CheckProject(SourceFile file) => System.Xml.Linq.XDocument.Parse(file.Text)
        .Descendants("Using")
        .Where(use => ((string?)use.Attribute("Include"))?.Split('.')[0] == "Voron")
        .Select(use => new Finding(Id, file.Path, 1, $"'{use}' is a global using of a room. Name the room in the files that use it."));
}
