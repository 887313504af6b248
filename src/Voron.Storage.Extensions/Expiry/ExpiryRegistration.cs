namespace Voron.Storage.Extensions.Expiry;

/// <summary>A table whose expired rows are to be deleted.</summary>
/// <param name="Storage">The name of its environment; empty for the one without a key.</param>
/// <param name="Table">The name of the table.</param>
/// <param name="Sweep">
/// Deletes the rows that have expired at a time, at most a number in each transaction; null for a table without an index of expiry.
/// </param>
internal sealed record ExpiryRegistration(
    string Storage, string Table, Func<StorageEnvironment, DateTimeOffset, int, CancellationToken, Task<long>>? Sweep)
{
    /// <summary>The name of its options. A table has no '/' in its name, so no two tables share one.</summary>
    internal string Name => $"{Storage}/{Table}";
}
