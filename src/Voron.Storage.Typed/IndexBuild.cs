namespace Voron.Storage.Typed;

/// <summary>How large the transactions of a build are: other writers wait for one at a time.</summary>
public sealed class IndexBuild
{
    /// <summary>Number of entries after which a transaction ends.</summary>
    public int RowsPerTransaction { get; init; } = 1_000;

    /// <summary>Time after which a transaction ends, if it has not added that many entries by then.</summary>
    public TimeSpan TimePerTransaction { get; init; } = TimeSpan.FromMilliseconds(5);

    /// <summary>
    /// Memory in bytes for the keys of an index, which are sorted before they are added. If they need more, the rows are read several
    /// times.
    /// </summary>
    public int MemoryBytes { get; init; } = 256 << 20;
}
