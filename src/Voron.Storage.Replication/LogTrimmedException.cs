namespace Voron.Storage.Replication;

/// <summary>The entry that was asked for is no longer in the log.</summary>
/// <param name="first">The first position that is there.</param>
/// <param name="inner">What the log's client reported.</param>
public sealed class LogTrimmedException(long first, Exception? inner = null)
    : Exception($"The log was trimmed: its first entry is at position {first}.", inner)
{
    /// <summary>The first position that is there.</summary>
    public long First { get; } = first;
}
