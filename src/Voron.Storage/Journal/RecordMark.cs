using Voron.Storage.Format;

namespace Voron.Storage.Journal;

/// <summary>
/// A commit record that stands in the journal: which transaction it ends, where it is and its checksum, which the next record repeats.
/// </summary>
internal readonly record struct RecordMark(TransactionId TransactionId, JournalPosition Position, ulong Checksum);
