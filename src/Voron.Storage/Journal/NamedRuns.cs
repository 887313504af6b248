using Voron.Storage.Format;

namespace Voron.Storage.Journal;

/// <summary>Finds the placed runs that the records of the commit chunks name.</summary>
internal static class NamedRuns
{
    /// <summary>
    /// Returns the runs that transactions after this one have put, as far as their records are there. Transactions that were rolled back
    /// may be among them.
    /// </summary>
    internal static List<(TransactionId PutBy, PlacedRun Run)> Find(JournalFiles files, TransactionId after)
    {
        List<(TransactionId PutBy, PlacedRun Run)> found = [];
        foreach (Chunk chunk in files.ListChunks(ChunkKind.Commit))
        {
            try
            {
                using ChunkContent content = new(files.Disk, chunk);
                FindIn(content, after, found);
            }
            catch (StorageException error) when (
                error.IsOfDamage || files.Judge(ChunkKind.Commit, chunk.Sequence, out _) != ChunkState.Sound)
            {
                // It is damaged, so no consumer reads further, or was recycled in between.
            }
        }

        return found;
    }

    private static void FindIn(ChunkContent content, TransactionId after, List<(TransactionId PutBy, PlacedRun Run)> found)
    {
        for (long end = FormatConstants.ChunkBodyOffset; TryNext(content, end, out RecordHeader header, out ReadOnlySpan<byte> body);)
        {
            end = header.Offset + RecordHeader.SizeBytes + body.Length;
            bool isFirst = header is { FragmentNumber: 0, FragmentCount: 0 };
            RedoReader redo = new(body, isFirst);
            while (header.TransactionId > after && redo.MoveNext())
            {
                if (redo.Operation == RedoOperation.PutPlaced)
                {
                    TransactionId putBy = header.TransactionId;
                    found.AddRange(redo.Runs.Select(run => (putBy, run)));
                }
            }
        }
    }

    /// <summary>Reads the next record: directly after the last one if they share a write, otherwise at the next block.</summary>
    private static bool TryNext(ChunkContent content, long end, out RecordHeader header, out ReadOnlySpan<byte> body) =>
        content.TryRead(ChunkContent.RoundUp(end, FormatConstants.RecordAlignmentBytes), out header, out body)
        || content.TryRead(ChunkContent.RoundUp(end, FormatConstants.BlockBytes), out header, out body);
}
