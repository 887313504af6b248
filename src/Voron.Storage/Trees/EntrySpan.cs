namespace Voron.Storage.Trees;

/// <summary>
/// In a tree whose entries stand for more than their keys: up to where an entry reaches. Separators are chosen behind that, so all that an
/// entry stands for lies within the bounds of its leaf.
/// </summary>
internal abstract class EntrySpan
{
    /// <summary>Returns how many leading bytes a key, which is above all of the entry, shares with the last one of the entry.</summary>
    internal abstract int SharedByLast(in Node leaf, int index, ReadOnlySpan<byte> key);
}
