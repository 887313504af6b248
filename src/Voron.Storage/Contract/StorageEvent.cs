namespace Voron.Storage;

/// <summary>An event worth logging.</summary>
/// <param name="Kind">The kind of event.</param>
/// <param name="Message">A one-line description.</param>
/// <param name="Error">The error, or null.</param>
public sealed record StorageEvent(StorageEventKind Kind, string Message, Exception? Error = null);
