using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Voron.House.Tests.Rules;

/// <summary>
/// Ids are types: what is named like a page number or a transaction id is a PageNumber or a TransactionId, so that the compiler finds two
/// arguments in the wrong order and a count in the place of a page. The public surface (the doors and Contract) has longs. A field that is
/// read and written by Interlocked or Volatile stays a long too, and its name ends in Value.
/// </summary>
internal static partial class IdTypeRule
{
    internal const string Id = "ids";

    private static readonly string[] Longs = ["long", "ulong", "Int64", "UInt64"];

    internal static IEnumerable<Finding> Check(SourceSet sources) => sources.Product.Where(IsBound).Select(Check).OfType<Finding>();

    private static bool IsBound(SourceFile file) =>
        RoomTable.RoomOf(file.Path) is not (null or RoomTable.Native or RoomTable.Doors or "Contract");

    private static Finding? Check(SourceFile file)
    {
        List<SyntaxToken> found =
        [
            .. file.Unit.DescendantNodes().SelectMany(Declared).Where(static name => Names().IsMatch(name.Text)),
        ];
        return found.Count == 0 ? null : new Finding(
            Id,
            file.Path,
            found.Count,
            $"bare longs: {string.Join(", ", found.Select(name => $"{name.Text} (line {file.LineOf(name.Parent!)})"))}. "
                + "Make them PageNumber or TransactionId.");
    }

    /// <summary>The names that a node declares with a type of its own, if that is a long or an array of longs.</summary>
    private static IEnumerable<SyntaxToken> Declared(SyntaxNode node)
    {
        (TypeSyntax? type, IEnumerable<SyntaxToken> names) = node switch
        {
            ParameterSyntax parameter => (parameter.Type, [parameter.Identifier]),
            VariableDeclarationSyntax variables => (variables.Type, variables.Variables.Select(static variable => variable.Identifier)),
            PropertyDeclarationSyntax property => (property.Type, [property.Identifier]),
            MethodDeclarationSyntax method => (method.ReturnType, [method.Identifier]),
            LocalFunctionStatementSyntax function => (function.ReturnType, [function.Identifier]),
            ForEachStatementSyntax each => (each.Type, [each.Identifier]),
            TupleElementSyntax element => (element.Type, [element.Identifier]),
            DeclarationExpressionSyntax { Designation: SingleVariableDesignationSyntax single } declaration =>
                (declaration.Type, [single.Identifier]),
            DeclarationPatternSyntax { Designation: SingleVariableDesignationSyntax single } pattern => (pattern.Type, [single.Identifier]),
            _ => (null, Array.Empty<SyntaxToken>()),
        };
        return IsLong(type) ? names : [];
    }

    private static bool IsLong(TypeSyntax? type) => type switch
    {
        RefTypeSyntax reference => IsLong(reference.Type),
        NullableTypeSyntax nullable => IsLong(nullable.ElementType),
        ArrayTypeSyntax array => IsLong(array.ElementType),
        PredefinedTypeSyntax or IdentifierNameSyntax => Longs.Contains(type.ToString()),
        _ => false,
    };

    /// <summary>
    /// The last word says what the value is. A constant such as BytesPerTransaction is no id, nor is the start of a name: PageCount.
    /// </summary>
    [GeneratedRegex("^(?!.*Per)(_?(page|pageNumber|root|transaction|transactionId|snapshot)"
        + "|(.*[a-z])?(Page|PageNumber|Root|Transaction|TransactionId|Snapshot))$")]
    private static partial Regex Names();
}
