using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Voron.House.Tests.Rules;

/// <summary>
/// The user's event callback is reached through EventCallback alone, which keeps its exceptions and its caller's execution context out of
/// the engine. An options object may pass the callback on to another one.
/// </summary>
internal static class EventCallbackRule
{
    internal const string Id = "event-door";

    private const string Callback = "OnEvent";

    internal static IEnumerable<Finding> Check(SourceSet sources) =>
        sources.Product.Where(static file => file.Name is not ("EventCallback.cs" or "StorageOptions.cs")).SelectMany(Check);

    private static IEnumerable<Finding> Check(SourceFile file) => file.Unit.DescendantNodes()
        .OfType<SimpleNameSyntax>()
        .Where(static name => name.Identifier.Text == Callback && !IsPassedOn(name))
        .Select(name => new Finding(
            Id, file.Path, 1, $"line {file.LineOf(name)}: the callback is read here. Call options.Report or options.HasListener."));

    /// <summary>The name stands on either side of <c>OnEvent = options.OnEvent</c> in an initializer.</summary>
    private static bool IsPassedOn(SimpleNameSyntax name)
    {
        AssignmentExpressionSyntax? assignment = name.FirstAncestorOrSelf<AssignmentExpressionSyntax>();
        return assignment is { Parent: InitializerExpressionSyntax, Left: IdentifierNameSyntax { Identifier.Text: Callback } }
            && (assignment.Left == name
                || (assignment.Right is MemberAccessExpressionSyntax access && access.Name == name));
    }
}
