namespace Voron.Storage.Replication;

/// <summary>
/// The log has not answered, or not in time. Whether an append took place is unknown. Replicas ask again, so a log throws it for everything
/// that can end by itself: a lost connection, a cluster without a leader, a log that is full.
/// </summary>
/// <param name="message">What was asked and what happened.</param>
/// <param name="inner">What the log's client reported.</param>
public sealed class LogUnavailableException(string message, Exception? inner = null) : Exception(message, inner);
