namespace Voron.Storage.Trees;

/// <summary>One level of a descent: the node, and the index of the entry followed (in the leaf: the position of the key).</summary>
internal struct PathStep
{
    internal long Page;
    internal int Index;
    internal int Count;
}
