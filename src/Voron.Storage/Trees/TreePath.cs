using System.Runtime.CompilerServices;

namespace Voron.Storage.Trees;

/// <summary>
/// The steps of one descent, root first. A tree that needs more is damaged: even branches with two entries lead to millions of leaves.
/// </summary>
[InlineArray(MaxDepth)]
internal struct TreePath
{
    /// <summary>More levels than any sound tree has; ends a descent that runs in a circle.</summary>
    internal const int MaxDepth = 24;

    private PathStep _root;
}
