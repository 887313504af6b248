using Voron.Storage.Format;
using Voron.Storage.Versions;

namespace Voron.Storage.Trees;

/// <summary>Divides the keys of a tree where leaves end, without reading leaves that are not at such an end.</summary>
internal static class TreeParts
{
    /// <summary>
    /// Returns the key at which a range of at most this many leaves ends that begins with a key (null: with the first), or null if that is
    /// the end of the tree.
    /// </summary>
    internal static byte[]? End(PageSource source, TransactionId snapshot, PageNumber root, byte[]? from, int leaves)
    {
        byte[]? end = null;
        Node branch = default;
        int index = 0;
        Descent descent = new(source, snapshot, root);
        for (bool isAboveLeaves = false; descent.EnterBranch(); isAboveLeaves = true)
        {
            // The child of the branch above ends where that has its next entry.
            end = isAboveLeaves && index + 1 < branch.Count ? KeyOf(branch, index + 1) : end;
            branch = descent.Node;
            index = from is null ? 0 : NodeSearch.FindInBranch(branch, from);
            descent.Follow(index);
        }

        return descent.Level > 0 && index + leaves < branch.Count ? KeyOf(branch, index + leaves) : end;
    }

    private static byte[] KeyOf(in Node branch, int index)
    {
        byte[] key = new byte[branch.Prefix.Length + branch.Tail(index).Length];
        branch.CopyKey(index, key);
        return key;
    }
}
