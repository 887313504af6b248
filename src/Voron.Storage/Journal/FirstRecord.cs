using Voron.Storage.Format;

namespace Voron.Storage.Journal;

/// <summary>The record that a commit chunk begins with: it says from which transaction on the chunk is needed.</summary>
internal sealed record FirstRecord(long Sequence, RecordHeader Header)
{
    /// <summary>The newest transaction after which everything is in this chunk and later ones.</summary>
    internal TransactionId Before
    {
        get
        {
            bool beginsBody = Header.FragmentNumber == 0 && Header.FragmentCount == 0;
            return beginsBody ? new TransactionId(Header.TransactionId.Value - 1) : Header.TransactionId;
        }
    }

    /// <summary>Null if the chunk is not sound, or has no record yet.</summary>
    internal static FirstRecord? TryRead(JournalFiles files, long sequence)
    {
        if (files.Judge(ChunkKind.Commit, sequence, out Chunk chunk) != ChunkState.Sound)
        {
            return null;
        }

        try
        {
            using ChunkContent content = new(files.Disk, chunk);
            return content.TryRead(FormatConstants.ChunkBodyOffset, out RecordHeader header, out _)
                ? new FirstRecord(sequence, header)
                : null;
        }
        catch (StorageException) when (files.Judge(ChunkKind.Commit, sequence, out _) != ChunkState.Sound)
        {
            // It was recycled in between.
            return null;
        }
    }
}
