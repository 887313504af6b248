using Voron.Storage.Paging;

namespace Voron.Storage.Trees;

/// <summary>One level of a cursor's position.</summary>
internal struct CursorLevel
{
    internal PageView View;
    internal long Page;
    internal int Index;
    internal int Count;
}
