namespace Voron.Storage.Replication;

/// <summary>The log does not end where the caller of an append expected it to. The entry was not appended by this call.</summary>
/// <param name="message">What was expected and what was found.</param>
/// <param name="inner">What the log's client reported.</param>
public sealed class LogConflictException(string message, Exception? inner = null) : Exception(message, inner);
