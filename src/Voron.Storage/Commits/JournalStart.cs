using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.Commits;

/// <summary>Where the commit journal continues after recovery.</summary>
/// <param name="LastCommit">The last committed transaction's record.</param>
/// <param name="LastChecksum">Checksum of the last good record, which the next one repeats; 0 in a database without records.</param>
/// <param name="LastPosition">Position of that record.</param>
/// <param name="HighestSequence">The highest sequence that any chunk has had.</param>
/// <param name="Chunks">The existing sound chunks, in order.</param>
internal sealed record JournalStart(
    RecordMark LastCommit, ulong LastChecksum, JournalPosition LastPosition, long HighestSequence, IReadOnlyList<Chunk> Chunks);
