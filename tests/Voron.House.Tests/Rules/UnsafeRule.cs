using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Voron.House.Tests.Rules;

/// <summary>
/// The unsafe fence: outside Voron.Native the keyword stands only in the files listed here, and each of them begins (before its type,
/// file comment or summary) by saying which bounds its callers guarantee.
/// </summary>
internal static class UnsafeRule
{
    internal const string Id = "unsafe";

    /// <summary>Relative to src/Voron.Storage. A file that does not exist yet is no offence.</summary>
    internal static readonly IReadOnlyList<string> Fenced =
    [
        "Versions/BlockPool.cs",
        "Versions/ChunkViews.cs",
        "Versions/HeadTable.cs",
        "Versions/MappedPages.cs",
        "Versions/PageCheck.cs",
        "Versions/PageImage.cs",
        "Versions/PageOverlay.cs",
        "Versions/PageSource.cs",
        "Versions/PageVersion.cs",
        "Versions/PageView.cs",
        "Versions/ReclaimQueue.cs",
        "Versions/SpillFile.cs",
        "Versions/SpillSpace.cs",
        "Versions/VersionMemory.Guards.cs",
        "Versions/VersionMemory.cs",
        "Versions/VersionSpans.cs",
        "Versions/VersionTable.Blocks.cs",
        "Versions/VersionTable.Chains.cs",
        "Versions/VersionTable.cs",
        "IO/CacheLine.cs",
        "IO/GuardedBlocks.cs",
        "IO/SystemMemory.cs",
        "Pages/PageSavepoints.cs",
        "Pages/PageUndo.cs",
        "Pages/PageWriter.Savepoints.cs",
        "Pages/PageWriter.Freed.cs",
        "Pages/PageWriter.cs",
        "Pages/SlotSeal.cs",
        "Transactions/ValuePiece.cs",
        "Trees/LeafMerge.cs",
        "Trees/FoundValue.cs",
        "Trees/LeafPrefetch.cs",
        "Trees/LeafSearch.cs",
        "Trees/Node.cs",
        "Trees/NodeBlocks.cs",
        "Trees/NodeCopy.cs",
        "Trees/NodeEdit.cs",
        "Trees/NodeFill.cs",
        "Trees/NodeReader.cs",
        "Trees/NodeSearch.cs",
        "Trees/TreeCursor.Leaves.cs",
        "Trees/TreeCursor.cs",
        "Trees/TreeWriter.Append.cs",
        "Trees/TreeWriter.Noted.cs",
        "Trees/TreeWriter.cs",
    ];

    internal static IEnumerable<Finding> Check(SourceSet sources) => sources.Files
        .Where(file => (file.IsUnder("src") || file.IsUnder("bench")) && !file.IsUnder(RoomTable.NativeFolder))
        .SelectMany(Check);

    private static IEnumerable<Finding> Check(SourceFile file)
    {
        if (Fenced.Any(fenced => file.Path == $"{RoomTable.StorageFolder}/{fenced}"))
        {
            if (!HeadOf(file).Contains("bounds", StringComparison.OrdinalIgnoreCase))
            {
                yield return new Finding(
                    Id, file.Path, 1, "is inside the unsafe fence, but its head does not say which bounds its callers guarantee.");
            }

            yield break;
        }

        foreach (SyntaxToken token in file.Unit.DescendantTokens().Where(token => token.IsKind(SyntaxKind.UnsafeKeyword)))
        {
            int line = file.LineOf(token.Parent!);
            yield return new Finding(
                Id, file.Path, 1, $"line {line}: 'unsafe' outside the fence. Use a span, or a file that UnsafeRule.Fenced lists.");
        }
    }

    /// <summary>The comments that stand before the first type.</summary>
    private static string HeadOf(SourceFile file)
    {
        SyntaxNode? type = file.Unit.DescendantNodes()
            .FirstOrDefault(node => node is BaseTypeDeclarationSyntax or DelegateDeclarationSyntax);
        int end = type?.SpanStart ?? file.Text.Length;
        return string.Concat(file.Unit.DescendantTrivia()
            .Where(trivia => trivia.Span.End <= end && !trivia.IsKind(SyntaxKind.WhitespaceTrivia)
                && !trivia.IsKind(SyntaxKind.EndOfLineTrivia))
            .Select(trivia => trivia.ToFullString()));
    }
}
