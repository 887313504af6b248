using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>A branch on the path to a cursor's leaf.</summary>
internal struct CursorLevel
{
    internal PageView View;
    internal long Page;
    internal int Index;
    internal int Count;
}
