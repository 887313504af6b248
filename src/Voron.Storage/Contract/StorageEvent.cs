namespace Voron.Storage;

/// <summary>Something worth a log line.</summary>
/// <param name="Kind">What it is about.</param>
/// <param name="Message">One line for people.</param>
/// <param name="Error">The fault, when there is one.</param>
public sealed record StorageEvent(StorageEventKind Kind, string Message, Exception? Error = null);
