using Voron.Storage.Format;

namespace Voron.Storage.Transactions;

/// <summary>A tree opened by the write transaction: its name's position in the name bytes, its root and its changes.</summary>
internal struct OpenTree
{
    internal int NameOffset;
    internal int NameLength;

    /// <summary>Offset of the name it was opened under, before any renaming.</summary>
    internal int FirstNameOffset;
    internal int FirstNameLength;
    internal TreeShape Shape;
    internal PageNumber Root;

    /// <summary>Number of entries; of a write-optimized tree: of those that the leaves have.</summary>
    internal long Count;

    /// <summary>Number of entries when it was opened.</summary>
    internal long FirstCount;

    /// <summary>Whether it was created in this transaction.</summary>
    internal bool IsNew;

    /// <summary>Whether the count may differ from the catalog's.</summary>
    internal bool CountChanged;
    internal bool Dropped;

    /// <summary>Incremented by every change, so that enumerators detect it.</summary>
    internal int Version;

    /// <summary>Adjusts the count by the number of entries added (negative: removed).</summary>
    internal void Grew(long entries)
    {
        Count += entries;
        CountChanged |= entries != 0;
    }
}
