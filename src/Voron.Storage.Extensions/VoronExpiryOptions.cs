namespace Voron.Storage.Extensions;

/// <summary>Settings of a service that deletes the expired rows of a table.</summary>
public sealed class VoronExpiryOptions
{
    /// <summary>
    /// How often expired rows are deleted (default a minute); the first time is the start of the host. Until then reads find them.
    /// </summary>
    public TimeSpan SweepInterval { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>Number of rows that one transaction deletes at most (default 1,000): other writers wait for one at a time.</summary>
    public int RowsPerTransaction { get; set; } = 1_000;
}
