namespace Voron.Storage.Typed;

/// <summary>How large the transactions of a build are: other writers wait for one at a time.</summary>
public sealed class IndexBuild
{
    /// <summary>Number of rows after which a transaction ends.</summary>
    public int RowsPerTransaction { get; init; } = 1_000;

    /// <summary>Time after which a transaction ends, if it has not read that many rows by then.</summary>
    public TimeSpan TimePerTransaction { get; init; } = TimeSpan.FromMilliseconds(5);
}
