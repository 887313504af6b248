using Voron.Storage.Typed.Tables;

namespace Voron.Storage.Typed;

/// <summary>Work on whole tables in many small transactions, beside other readers and writers.</summary>
public static class TableMaintenance
{
    /// <summary>
    /// Builds the indexes of a table that are not ready, one after the other: reads all rows, sorts the keys in memory, and adds them in
    /// this order. Each transaction adds some and stores how far it came, so a build that was cancelled or killed goes on there at the next
    /// call. Meanwhile writers maintain the index, and it cannot be read. While others write, the build rests between its transactions.
    /// Returns when all indexes are ready and durable.
    /// </summary>
    /// <param name="environment">The database.</param>
    /// <param name="definition">The table; it is created if it is missing.</param>
    /// <param name="build">The size of transactions; null for the defaults.</param>
    /// <param name="progress">Receives an estimate of the part that is done, from 0 to 1.</param>
    /// <param name="cancellationToken">Ends the build after the present transaction.</param>
    /// <exception cref="UniqueIndexException">Two rows have the same key in a unique index. The index was dropped.</exception>
    /// <exception cref="KeyTooLongException">A key in an index, with its primary key, is too long; the build stops at its row.</exception>
    /// <exception cref="TableMismatchException">The database has the table with other codecs, or an index of another kind.</exception>
    public static Task BuildIndexesAsync<TKey, TRow>(
        this StorageEnvironment environment,
        TableDefinition<TKey, TRow> definition,
        IndexBuild? build = null,
        IProgress<double>? progress = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(definition);
        return BuildAllAsync(environment, definition.Shape, build, progress, cancellationToken);
    }

    /// <summary>
    /// Deletes the rows that have expired at a time, by the table's index of expiry, and returns their number. Rows that expire at that
    /// very time are among them. If there are none, nothing is written.
    /// </summary>
    /// <param name="environment">The database.</param>
    /// <param name="definition">The table, with an index of expiry.</param>
    /// <param name="now">The time.</param>
    /// <param name="most">Number of rows that one transaction deletes at most; there are as many transactions as it takes.</param>
    /// <param name="cancellationToken">Ends the sweep after the present transaction.</param>
    /// <exception cref="ArgumentException">The table has no index of expiry.</exception>
    /// <exception cref="IndexNotBuiltException">The index is not built to its end in this database.</exception>
    public static Task<long> SweepExpiredAsync<TKey, TRow>(
        this StorageEnvironment environment,
        TableDefinition<TKey, TRow> definition,
        DateTimeOffset now,
        int most = 1_000,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(definition);
        return SweepAsync(environment, definition.Shape, now, most, cancellationToken);
    }

    /// <summary>As <see cref="BuildIndexesAsync{TKey, TRow}"/>, for a table of bytes.</summary>
    public static Task BuildIndexesAsync(
        this StorageEnvironment environment,
        RawTableDefinition definition,
        IndexBuild? build = null,
        IProgress<double>? progress = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(definition);
        return BuildAllAsync(environment, definition.Shape, build, progress, cancellationToken);
    }

    /// <summary>As <see cref="SweepExpiredAsync{TKey, TRow}"/>, for a table of bytes.</summary>
    public static Task<long> SweepExpiredAsync(
        this StorageEnvironment environment,
        RawTableDefinition definition,
        DateTimeOffset now,
        int most = 1_000,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(definition);
        return SweepAsync(environment, definition.Shape, now, most, cancellationToken);
    }

    private static Task BuildAllAsync(
        StorageEnvironment environment,
        TableShape shape,
        IndexBuild? build,
        IProgress<double>? progress,
        CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(environment);
        build ??= new IndexBuild();
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(build.RowsPerTransaction);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(build.TimePerTransaction, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(build.MemoryBytes);
        return BuildAsync(environment, shape, build, progress, cancellationToken);
    }

    private static Task<long> SweepAsync(
        StorageEnvironment environment, TableShape shape, DateTimeOffset now, int most, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(environment);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(most);
        return new ExpirySweep(shape, now, most).RunAsync(environment, cancellationToken);
    }

    private static async Task BuildAsync(
        StorageEnvironment environment,
        TableShape shape,
        IndexBuild build,
        IProgress<double>? progress,
        CancellationToken cancellationToken)
    {
        int count = shape.Use().Length;
        for (int ordinal = 0; ordinal < count; ordinal++)
        {
            int ready = ordinal;
            await new IndexBuilder(environment, shape, ordinal, build)
                .RunAsync(part => progress?.Report((ready + part) / count), cancellationToken).ConfigureAwait(false);
        }
    }
}
