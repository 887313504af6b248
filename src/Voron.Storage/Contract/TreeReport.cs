namespace Voron.Storage;

/// <summary>What a tree is made of, as one snapshot sees it.</summary>
public sealed record TreeReport
{
    /// <summary>Entries.</summary>
    public required long Entries { get; init; }

    /// <summary>Nodes from the root to a leaf, both counted.</summary>
    public required int Depth { get; init; }

    /// <summary>Pages that lead to others.</summary>
    public required long BranchPages { get; init; }

    /// <summary>Pages that hold entries.</summary>
    public required long LeafPages { get; init; }

    /// <summary>Pages that hold long values, and the lists of values in pieces.</summary>
    public required long OverflowPages { get; init; }

    /// <summary>Page size of the database in bytes.</summary>
    public required int PageBytes { get; init; }

    /// <summary>Bytes of long values.</summary>
    public required long OverflowBytes { get; init; }

    /// <summary>Part of the leaves' bytes that heads, slots and entries take, from 0 to 1.</summary>
    public required double LeafFill { get; init; }

    /// <summary>All pages in bytes.</summary>
    public long AllocatedBytes => (BranchPages + LeafPages + OverflowPages) * PageBytes;
}
