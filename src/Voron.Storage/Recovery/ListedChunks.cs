using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.Recovery;

/// <summary>The chunks of the commit journal as they were listed, and which of them a reader needs that begins behind a record.</summary>
/// <param name="files">The journal.</param>
/// <param name="mark">The record.</param>
/// <param name="claimed">A chunk that was durable when the newest header slot was written; 0 for none.</param>
/// <param name="closed">Chunks up to this one hold no record after the mark; 0 if unknown.</param>
internal sealed class ListedChunks(JournalFiles files, RecordMark mark, long claimed, long closed)
{
    private readonly long _firstNeeded = Math.Max(1, mark.Position.Sequence);

    /// <summary>Those with sound headers.</summary>
    internal List<Chunk> All { get; } = files.ListChunks(ChunkKind.Commit);

    /// <summary>The sequences of all of them.</summary>
    internal List<long> Sequences { get; } = files.ListSequences(ChunkKind.Commit);

    internal int Count => All.Count;

    internal long Closed => closed;

    /// <summary>
    /// The highest sequence ever used. Sequences are never reused, even if the chunk no longer exists: claims about all chunks up to a
    /// sequence must stay true.
    /// </summary>
    internal long HighestSequence => Math.Max(
        Math.Max(claimed, closed),
        Sequences.Count == 0 ? 0 : Sequences[^1]);

    internal Chunk this[int index] => All[index];

    /// <summary>Length in bytes of the chunks from the first needed one up to an index.</summary>
    internal long NeededBytesBefore(int index) =>
        All.Take(index).Where(chunk => chunk.Sequence >= _firstNeeded).Sum(static chunk => chunk.Bytes);

    /// <summary>Whether the chunk holds no record after the mark; only the mark itself is read from it.</summary>
    internal bool IsClosed(long sequence) => sequence <= closed;

    /// <summary>Whether a closed chunk with a damaged header can be skipped. A missing one means that files were removed.</summary>
    internal bool IsSpared(long sequence) =>
        IsClosed(sequence) && files.Judge(ChunkKind.Commit, sequence, out _) == ChunkState.Damaged;

    /// <summary>
    /// Finds a chunk that is not sound although one after the present one names it as its predecessor or the header slot names it; 0 if
    /// there is none. It was in use when the later one was created, so it was whole and durable, and its records are lost. Chunks before
    /// the first needed one may have been recycled, and so may chunks that the slot declares closed.
    /// </summary>
    internal long FindLost(int present)
    {
        for (int i = present + 1; i < All.Count; i++)
        {
            long previous = All[i].PreviousSequence;
            if (previous >= _firstNeeded && !IsClosed(previous) && !All.Exists(chunk => chunk.Sequence == previous))
            {
                return previous;
            }
        }

        // A chunk is recycled only if N is in a later one.
        bool isNeeded = claimed >= _firstNeeded && !All.Exists(chunk => chunk.Sequence == claimed) && !IsSpared(claimed);
        return isNeeded ? claimed : 0;
    }
}
