namespace Voron.Storage.Replication;

/// <summary>
/// A log that exists outside this process and carries the commits of one database to all of its nodes. Positions are consecutive and begin
/// at 1. Its promises: all readers see one order, and what <see cref="ReadAsync"/> has given once stays where it is until it is trimmed.
/// Nothing is promised of the condition of <see cref="AppendAsync"/>: it saves useless entries, and replicas are safe without it.
/// <para>A log is used by one replica; its calls may run at the same time.</para>
/// </summary>
public interface IReplicatedLog : IAsyncDisposable
{
    /// <summary>The longest entry that may be appended, in bytes; at least 4,096.</summary>
    int MaxEntryBytes { get; }

    /// <summary>Appends an entry behind this position and nowhere else, where the log can check that.</summary>
    /// <param name="entry">The entry, which the log must have copied or sent before the call ends.</param>
    /// <param name="expectedLast">The position of the last entry that the caller knows of; 0 for an empty log.</param>
    /// <param name="cancellation">Ends the wait. Whether the entry is in the log is unknown then.</param>
    /// <returns>The position of the entry.</returns>
    /// <exception cref="LogConflictException">The log ends elsewhere: this call has not appended the entry.</exception>
    /// <exception cref="LogUnavailableException">No answer: maybe the entry is there, and maybe it comes later.</exception>
    ValueTask<long> AppendAsync(ReadOnlyMemory<byte> entry, long expectedLast, CancellationToken cancellation);

    /// <summary>
    /// The entries from a position on, in order and without gaps, and then those that are appended: it waits for them, and ends only when
    /// it is cancelled or fails. Entries that it has given are in the log for good.
    /// </summary>
    /// <param name="from">The first position, at least 1. Past the end of the log it waits until the log has come there.</param>
    /// <param name="cancellation">Ends the reading.</param>
    /// <exception cref="LogTrimmedException">The entry at the position is no longer there.</exception>
    /// <exception cref="LogUnavailableException">The log does not answer. The caller may ask again from where it was.</exception>
    IAsyncEnumerable<LogEntry> ReadAsync(long from, CancellationToken cancellation);

    /// <summary>The positions that the log has now.</summary>
    /// <param name="cancellation">Ends the wait.</param>
    /// <exception cref="LogUnavailableException">The log does not answer.</exception>
    ValueTask<LogBounds> GetBoundsAsync(CancellationToken cancellation);

    /// <summary>Gives up the entries below a position. The next entry comes behind the last one that there ever was.</summary>
    /// <param name="below">The first position that stays; at most the last one plus 1.</param>
    /// <param name="cancellation">Ends the wait.</param>
    /// <exception cref="LogUnavailableException">The log does not answer; maybe they are gone.</exception>
    ValueTask TrimAsync(long below, CancellationToken cancellation);
}
