namespace Voron.Samples.Server;

/// <summary>One change of a batch.</summary>
/// <param name="Id">Which document.</param>
/// <param name="Body">Its new bytes; null when it is to be deleted.</param>
internal sealed record DocumentChange(DocumentId Id, byte[]? Body);
