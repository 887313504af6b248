using Voron.Storage.Format;

namespace Voron.Storage.IO;

/// <summary>What a reader has written to its slot of the lock file.</summary>
/// <param name="Number">The number of the slot.</param>
/// <param name="Process">The id of the reader's process.</param>
/// <param name="Checkpoint">The checkpoint whose snapshot it reads from the data file.</param>
/// <param name="Shown">The oldest state that a transaction of it sees.</param>
internal readonly record struct ProcessSlot(int Number, int Process, long Checkpoint, TransactionId Shown);
