using Voron.Storage.Format;

namespace Voron.Storage.Journal;

/// <summary>Where the commit journal goes on after recovery.</summary>
/// <param name="LastCommit">The last committed transaction's record.</param>
/// <param name="LastChecksum">Checksum of the last good record, which the next one repeats; 0 in a database without records.</param>
/// <param name="LastPosition">Where that record stands.</param>
/// <param name="HighestSequence">No chunk has a higher sequence.</param>
/// <param name="Chunks">The chunks there are, in order.</param>
internal sealed record JournalStart(
    RecordMark LastCommit, ulong LastChecksum, JournalPosition LastPosition, long HighestSequence, IReadOnlyList<Chunk> Chunks);
