
namespace Voron.Storage.Trees;

/// <summary>A branch on the path to a cursor's leaf.</summary>
internal struct CursorLevel
{
    internal Node Node;
    internal int Index;
}
