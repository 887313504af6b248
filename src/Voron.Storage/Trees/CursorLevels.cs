using System.Runtime.CompilerServices;

namespace Voron.Storage.Trees;

/// <summary>The levels of a cursor's position, root first.</summary>
[InlineArray(TreePath.MaxDepth)]
internal struct CursorLevels
{
    private CursorLevel _root;
}
