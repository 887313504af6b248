namespace Voron.Storage;

/// <summary>A sound record of the commit journal.</summary>
/// <param name="File">The chunk.</param>
/// <param name="Offset">Byte offset in the chunk.</param>
/// <param name="TransactionId">The transaction it belongs to.</param>
/// <param name="IsCommit">True for a record that ends a transaction, false for a fragment of one.</param>
/// <param name="BodyBytes">Length of what it says, its header not counted.</param>
/// <param name="FollowsPrevious">
/// True when it names the checksum of the sound record before it; false for the first one there is, and behind something that is missing.
/// </param>
public readonly record struct JournalRecord(
    string File, long Offset, long TransactionId, bool IsCommit, long BodyBytes, bool FollowsPrevious);
