using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Voron.House.Tests.Rules;

/// <summary>
/// The throws of a room stand in its Throw.cs, out of line: a throw inside a hot method keeps it from being inlined, and messages
/// scattered over a room drift apart. The doors, the exceptions themselves and the fail-stop latch are free; argument checks are calls
/// (ThrowIfNull and its like).
/// </summary>
internal static class ThrowRule
{
    internal const string Id = "throws";

    internal static IEnumerable<Finding> Check(SourceSet sources) => sources.Product.Where(IsBound).SelectMany(Check);

    private static bool IsBound(SourceFile file) =>
        RoomTable.RoomOf(file.Path) is not (null or RoomTable.Native or RoomTable.Doors or "Contract")
            && file.Name is not ("Throw.cs" or "FailStop.cs");

    private static IEnumerable<Finding> Check(SourceFile file)
    {
        List<SyntaxNode> throws = [.. file.Unit.DescendantNodes().Where(IsThrowOfNew)];
        if (throws.Count > 0)
        {
            string lines = string.Join(", ", throws.Select(file.LineOf));
            yield return new Finding(
                Id, file.Path, throws.Count, $"throws in place (line {lines}). Give the room's Throw class a method and call it.");
        }
    }

    private static bool IsThrowOfNew(SyntaxNode node) => node
        is ThrowStatementSyntax { Expression: BaseObjectCreationExpressionSyntax }
        or ThrowExpressionSyntax { Expression: BaseObjectCreationExpressionSyntax };
}
