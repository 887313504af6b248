using System.Runtime.InteropServices;
using Voron.Storage.Format;

namespace Voron.Storage.Trees;

/// <content>Direct values: written to the data file before their key is inserted into the tree.</content>
internal sealed partial class TreeWriter
{
    /// <summary>
    /// Inserts or replaces an entry whose value is stored in these runs, each a piece of it; returns true if the key was new.
    /// </summary>
    internal bool PutRuns(PageNumber root, ReadOnlySpan<byte> key, ReadOnlySpan<PlacedRun> runs)
    {
        CheckKey(key);
        _reference[0] = runs.Length == 1 ? runs[0].Reference : PieceList.Of(_pages, runs);
        int level = Find(root, key, out Node leaf, out bool exists);
        PlacePayload(root, level, leaf, exists, key, MemoryMarshal.AsBytes(_reference.AsSpan()), Node.OverflowFlag);
        return !exists;
    }
}
