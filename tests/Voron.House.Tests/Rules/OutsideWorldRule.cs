using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Voron.Storage;

namespace Voron.House.Tests.Rules;

/// <summary>
/// Disk, clock, chance and threads of the pool come in through IO and Threads, so that a simulated world can replace them. A call that
/// bypasses them would make a simulated crash miss a write, or a seed not replay. The runtime's cryptography is banned from every room: on
/// Linux it loads OpenSSL, and where that is missing it ends the process.
/// </summary>
internal static class OutsideWorldRule
{
    internal const string Id = "outside-world";

    private const string Cryptography = "System.Security.Cryptography.";

    private static readonly HashSet<string> Types =
    [
        "System.IO.File", "System.IO.FileStream", "System.IO.Directory", "System.IO.RandomAccess", "System.IO.FileInfo",
            "System.IO.DirectoryInfo",
        "System.Random",
    ];

    private static readonly HashSet<string> Members =
    [
        "System.DateTime.Now", "System.DateTime.UtcNow", "System.DateTime.Today", "System.DateTimeOffset.Now",
            "System.DateTimeOffset.UtcNow",
        "System.Guid.NewGuid", "System.Guid.CreateVersion7", "System.Threading.Tasks.Task.Run",
    ];

    internal static IEnumerable<Finding> Check(SourceSet sources) => sources.Product
        .Where(file => RoomTable.RoomOf(file.Path) is not null)
        .SelectMany(file => Check(file, sources.Compilation.GetSemanticModel(file.Tree)));

    private static IEnumerable<Finding> Check(SourceFile file, SemanticModel model) => file.Unit.DescendantNodes()
        .OfType<SimpleNameSyntax>()
        .Select(name => (Name: name, Banned: BannedBy(model.GetSymbolInfo(name))))
        .Where(found => RoomTable.RoomOf(file.Path) is not (RoomTable.Native or "IO" or "Threads")
            || found.Banned?.StartsWith(Cryptography, StringComparison.Ordinal) == true)
        .Where(found => found.Banned is not null)
        .Select(found => new Finding(
            Id,
            file.Path,
            1,
            $"line {file.LineOf(found.Name)}: {found.Banned} goes past IO and Threads. Take an IDisk, a TimeProvider or the like."));

    private static string? BannedBy(SymbolInfo found)
    {
        ISymbol? symbol = found.Symbol ?? found.CandidateSymbols.FirstOrDefault();
        if (symbol is null or INamespaceSymbol)
        {
            return null;
        }

        if (symbol is INamedTypeSymbol type)
        {
            string typeName = type.OriginalDefinition.ToDisplayString();
            return Types.Contains(typeName) || typeName.StartsWith(Cryptography, StringComparison.Ordinal) ? typeName : null;
        }

        string member = $"{symbol.ContainingType?.OriginalDefinition.ToDisplayString()}.{symbol.Name}";
        return Members.Contains(member) ? member : null;
    }
}
