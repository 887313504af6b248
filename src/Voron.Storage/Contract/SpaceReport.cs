namespace Voron.Storage;

/// <summary>What the pages of a database are used for, as one snapshot sees them.</summary>
public sealed record SpaceReport
{
    /// <summary>The last transaction that the snapshot contains.</summary>
    public required long TransactionId { get; init; }

    /// <summary>Page size in bytes.</summary>
    public required int PageBytes { get; init; }

    /// <summary>Pages up to the end of the data file, or to the last one in use if that is not in the file yet.</summary>
    public required long Pages { get; init; }

    /// <summary>Pages that the data file has.</summary>
    public required long FilePages { get; init; }

    /// <summary>Pages that are free.</summary>
    public required long FreePages { get; init; }

    /// <summary>Pages that the newest checkpoint uses, and the snapshot does not.</summary>
    public required long HeldPages { get; init; }

    /// <summary>The trees in the order of their names.</summary>
    public required IReadOnlyList<TreeSpace> Trees { get; init; }
}
