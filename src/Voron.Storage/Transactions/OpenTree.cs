using Voron.Storage.Format;

namespace Voron.Storage.Transactions;

/// <summary>A tree that the write transaction has opened: its name in the session's name bytes, where it stands and what changed.</summary>
internal struct OpenTree
{
    internal int NameOffset;
    internal int NameLength;

    /// <summary>Of the name that it was opened under, before any renaming.</summary>
    internal int FirstNameOffset;
    internal int FirstNameLength;
    internal TreeKind Kind;
    internal long Root;
    internal long Count;

    /// <summary>Entries when it was opened.</summary>
    internal long FirstCount;

    /// <summary>It came into being in this transaction.</summary>
    internal bool IsNew;

    /// <summary>The count differs from the catalog's.</summary>
    internal bool CountChanged;
    internal bool Dropped;

    /// <summary>Grows with every change, so that enumerators notice.</summary>
    internal int Version;

    /// <summary>So many entries came (or, negative, went).</summary>
    internal void Grew(long entries)
    {
        Count += entries;
        CountChanged |= entries != 0;
    }
}
