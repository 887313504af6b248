using Voron.Storage.Format;

namespace Voron.Storage.Journal;

/// <summary>
/// A commit record in the journal: the transaction it ends, its position, and its checksum, which the next record repeats.
/// </summary>
internal readonly record struct RecordMark(TransactionId TransactionId, JournalPosition Position, ulong Checksum);
