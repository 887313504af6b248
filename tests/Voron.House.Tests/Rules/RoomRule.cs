using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Voron.Storage;

namespace Voron.House.Tests.Rules;

/// <summary>
/// One folder = one namespace = one room, and a room names only rooms above it. A name is judged by where its meaning is declared, so
/// neither a relative name, nor an alias, nor a member reached through var slips through. Comments and strings are not code.
/// </summary>
internal static class RoomRule
{
    internal const string NamespaceId = "namespace";
    internal const string NamesId = "rooms";

    internal static IEnumerable<Finding> CheckNamespaces(SourceSet sources) => sources.Product.SelectMany(CheckNamespace);

    internal static IEnumerable<Finding> CheckNames(SourceSet sources) => sources.Product.SelectMany(file => CheckNames(file, sources));

    /// <summary>Names that do not bind would be names that nobody judges.</summary>
    internal static IEnumerable<Finding> CheckBinding(SourceSet sources)
    {
        string[] unknownNames = ["CS0103", "CS0117", "CS0234", "CS0246", "CS1061"];
        return sources.Compilation.GetDiagnostics()
            .Where(diagnostic => unknownNames.Contains(diagnostic.Id))
            .Select(diagnostic => new Finding(
                NamesId,
                diagnostic.Location.SourceTree?.FilePath ?? "(none)",
                1,
                $"line {diagnostic.Location.GetLineSpan().StartLinePosition.Line + 1}: {diagnostic.GetMessage(null)} "
                + "The house tests bind src without source generators and project settings; teach SourceSet what is missing."));
    }

    private static IEnumerable<Finding> CheckNamespace(SourceFile file)
    {
        string room = RoomTable.RoomOf(file.Path) ?? "none";
        if (!RoomTable.IsRoom(room))
        {
            yield return new Finding(
                NamespaceId, file.Path, 1, $"'{room}' is no room of the house. Put it into one, or give the room its line in RoomTable.");
            yield break;
        }

        string wanted = RoomTable.NamespaceOf(file.Path);
        List<BaseNamespaceDeclarationSyntax> namespaces = [.. file.Unit.Members.OfType<BaseNamespaceDeclarationSyntax>()];
        foreach (BaseNamespaceDeclarationSyntax other in namespaces.Where(space => space.Name.ToString() != wanted))
        {
            yield return new Finding(NamespaceId, file.Path, 1, $"is in namespace {other.Name}; its folder says {wanted}.");
        }

        if (namespaces.Count != file.Unit.Members.Count)
        {
            yield return new Finding(NamespaceId, file.Path, 1, $"has code outside a namespace; its folder says {wanted}.");
        }
    }

    private static IEnumerable<Finding> CheckNames(SourceFile file, SourceSet sources)
    {
        if (RoomTable.RoomOf(file.Path) is not { } room || !RoomTable.IsRoom(room))
        {
            return [];
        }

        HashSet<string> allowed = [room, .. RoomTable.NamedBy(room)];
        if (RoomTable.NativeUsers.Any(user => file.Path == $"{RoomTable.StorageFolder}/{user}"))
        {
            allowed.Add(RoomTable.Native);
        }

        SemanticModel model = sources.Compilation.GetSemanticModel(file.Tree);
        return file.Unit.DescendantNodes().OfType<SimpleNameSyntax>()
            .Select(name => (Name: name, Room: RoomNamed(name, model)))
            .Concat(file.Unit.Usings.Where(line => line.NamespaceOrType is NameSyntax)
                .Select(line => (Name: Last((NameSyntax)line.NamespaceOrType),
                    Room: RoomTable.RoomOfNamespace(line.NamespaceOrType.ToString()))))
            .Where(named => named.Room is not null && !allowed.Contains(named.Room))
            .GroupBy(named => named.Room!)
            .Select(group => new Finding(
                NamesId,
                file.Path,
                group.Count(),
                $"{room} names {group.Key} (line {file.LineOf(group.First().Name)}: '{group.First().Name}'). {Advice(room, group.Key)}"));
    }

    private static string? RoomNamed(SimpleNameSyntax name, SemanticModel model)
    {
        SymbolInfo found = model.GetSymbolInfo(name);
        ISymbol? symbol = found.Symbol ?? found.CandidateSymbols.FirstOrDefault();
        switch (symbol)
        {
            case INamespaceSymbol space:
                return RoomTable.RoomOfNamespace(space.ToDisplayString());
            case INamedTypeSymbol or IMethodSymbol or IPropertySymbol or IFieldSymbol or IEventSymbol:
                IMethodSymbol? extension = (symbol as IMethodSymbol)?.ReducedFrom;
                ISymbol owner = (extension ?? symbol).OriginalDefinition;
                ISymbol type = owner as INamedTypeSymbol ?? owner.ContainingType ?? owner;
                return type.DeclaringSyntaxReferences.Select(reference => RoomTable.RoomOf(reference.SyntaxTree.FilePath)).FirstOrDefault();
            default:
                return null;
        }
    }

    private static SimpleNameSyntax Last(NameSyntax name) => name switch
    {
        QualifiedNameSyntax qualified => qualified.Right,
        AliasQualifiedNameSyntax alias => alias.Name,
        _ => (SimpleNameSyntax)name,
    };

    private static string Advice(string room, string other)
    {
        if (other == RoomTable.Native)
        {
            return "Only IO and Threads talk to the operating system: ask through IDisk and its like.";
        }

        string allowed = string.Join(", ", RoomTable.NamedBy(room).DefaultIfEmpty("no other room"));
        return $"{room} may name {allowed}: move the code down, or hand in what it needs.";
    }
}
