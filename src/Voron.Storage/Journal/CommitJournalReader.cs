using Voron.Storage.Format;
using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <summary>
/// Reads the commit journal from the record of a checkpoint's N on, record by record along the chain of checksums, until the table says that it ends. Changes nothing.
/// </summary>
internal sealed class CommitJournalReader : IDisposable
{
    private readonly JournalFiles _files;
    private readonly List<Chunk> _chunks;
    private readonly TransactionAssembler _assembler;
    private ChunkContent? _content;
    private int _chunkIndex;
    private long _end;
    private ulong _lastChecksum;
    private JournalPosition _lastPosition;
    private RecordMark _lastCommit;

    internal CommitJournalReader(JournalFiles files, RecordMark mark)
    {
        _files = files;
        _chunks = files.ListChunks(ChunkKind.Commit);
        _assembler = new TransactionAssembler(mark.TransactionId);
        _lastCommit = mark;
        RefuseGaps(mark.Position.Sequence);
        if (mark.TransactionId == TransactionId.None)
        {
            StartAtFirstChunk();
        }
        else
        {
            StartBehind(mark);
        }
    }

    /// <summary>Where new commits go on; asked for when <see cref="TryReadTransaction"/> has returned false.</summary>
    internal JournalStart End => new(
        _lastCommit, _lastChecksum, _lastPosition, _chunks.Count == 0 ? 0 : _chunks[^1].Sequence, _chunks);

    /// <summary>The record of the last transaction given out, or the one that reading began behind.</summary>
    internal RecordMark LastCommit => _lastCommit;

    /// <summary>Bytes of records read so far.</summary>
    internal long BytesRead { get; private set; }

    /// <summary>The next whole transaction's body, valid until the next call; false at the end of the journal.</summary>
    /// <exception cref="CorruptJournalException">A record that was acknowledged is lost.</exception>
    internal bool TryReadTransaction(out TransactionId id, out ReadOnlySpan<byte> body)
    {
        while (TryReadRecord(out RecordHeader header, out ReadOnlySpan<byte> part))
        {
            if (_assembler.TryComplete(header, part, out body))
            {
                id = new TransactionId(header.TransactionId);
                _lastCommit = new RecordMark(id, _lastPosition, header.Checksum);
                return true;
            }
        }

        id = default;
        body = default;
        return false;
    }

    public void Dispose() => _content?.Dispose();

    /// <summary>
    /// A chunk is made when the one before it is durable, and that one stays while it may be needed: a chunk whose predecessor is gone
    /// proves a loss.
    /// </summary>
    private void RefuseGaps(long firstNeeded)
    {
        foreach (Chunk chunk in _chunks)
        {
            long previous = chunk.PreviousSequence;
            if (previous > 0 && previous >= firstNeeded && !_chunks.Exists(other => other.Sequence == previous))
            {
                Throw.MissingChunk(_files.Directory, previous);
            }
        }
    }

    private void StartAtFirstChunk()
    {
        _chunkIndex = 0;
        _end = FormatConstants.ChunkBodyOffset;
        if (_chunks.Count > 0)
        {
            _content = new ChunkContent(_files.Disk, _chunks[0]);
        }
    }

    private void StartBehind(RecordMark mark)
    {
        _chunkIndex = _chunks.FindIndex(chunk => chunk.Sequence == mark.Position.Sequence);
        if (_chunkIndex < 0)
        {
            Throw.MissingChunk(_files.Directory, mark.Position.Sequence);
        }

        _content = new ChunkContent(_files.Disk, _chunks[_chunkIndex]);
        if (!_content.TryRead(mark.Position.Offset, out RecordHeader header, out ReadOnlySpan<byte> body) || header.Checksum != mark.Checksum)
        {
            Throw.BadMark(_chunks[_chunkIndex].Path, mark.Position);
        }

        _end = mark.Position.Offset + RecordHeader.SizeBytes + body.Length;
        _lastChecksum = mark.Checksum;
        _lastPosition = mark.Position;
    }

    private bool TryReadRecord(out RecordHeader header, out ReadOnlySpan<byte> body)
    {
        header = default;
        body = default;
        if (_content is null)
        {
            return false;
        }

        if (TryNextInChunk(out header, out body))
        {
            Advance(header, body.Length);
            return true;
        }

        // The place where the next record should have been. An earlier end of the same write counts: the loss may be there.
        JournalPosition bad = _lastPosition == JournalPosition.None
            ? new JournalPosition(1, FormatConstants.ChunkBodyOffset)
            : new JournalPosition(_chunks[_chunkIndex].Sequence, CommitBatch.RoundUp((int)_end, FormatConstants.RecordAlignmentBytes));
        int later = FindChunkThatGoesOn();
        JournalPosition proof = default;
        bool lost = later < 0 && TryFindProof(bad, out proof);
        switch (ReplayTable.Judge(nextIsGood: false, later >= 0, lost))
        {
            case ReplayVerdict.LaterChunk:
                Enter(later);
                return TryReadRecord(out header, out body);
            case ReplayVerdict.LostMiddle:
                Throw.LostMiddle(_chunks[_chunkIndex].Path, bad, proof);
                return false;
            default:
                return false;
        }
    }

    /// <summary>The next record stands right behind the last one, if they share a write, or at the next block.</summary>
    private bool TryNextInChunk(out RecordHeader header, out ReadOnlySpan<byte> body)
    {
        long sameWrite = CommitBatch.RoundUp((int)_end, FormatConstants.RecordAlignmentBytes);
        long nextWrite = CommitBatch.RoundUp((int)_end, FormatConstants.BlockBytes);
        return IsNext(_content!, sameWrite, out header, out body) || IsNext(_content!, nextWrite, out header, out body);
    }

    private bool IsNext(ChunkContent content, long offset, out RecordHeader header, out ReadOnlySpan<byte> body)
    {
        if (!content.TryRead(offset, out header, out body))
        {
            return false;
        }

        bool chained = header.PreviousChecksum == _lastChecksum || Sabotage.Is(SabotageRule.AcceptStaleRecords) || Sabotage.Is(SabotageRule.AcceptGap);
        return chained && (header.TransactionId == _lastCommit.TransactionId.Next.Value || Sabotage.Is(SabotageRule.AcceptGap));
    }

    private int FindChunkThatGoesOn()
    {
        for (int i = _chunkIndex + 1; i < _chunks.Count; i++)
        {
            using ChunkContent content = new(_files.Disk, _chunks[i]);
            if (IsNext(content, FormatConstants.ChunkBodyOffset, out _, out _))
            {
                return i;
            }
        }

        return -1;
    }

    private bool TryFindProof(JournalPosition bad, out JournalPosition proof)
    {
        if (_content!.TryFindProof(_end, bad, out proof))
        {
            return true;
        }

        for (int i = _chunkIndex + 1; i < _chunks.Count; i++)
        {
            using ChunkContent content = new(_files.Disk, _chunks[i]);
            if (content.TryFindProof(FormatConstants.ChunkBodyOffset, bad, out proof))
            {
                return true;
            }
        }

        return false;
    }

    private void Enter(int index)
    {
        _content!.Dispose();
        _content = new ChunkContent(_files.Disk, _chunks[index]);
        _chunkIndex = index;
        _end = FormatConstants.ChunkBodyOffset;
    }

    private void Advance(in RecordHeader header, int bodyBytes)
    {
        _lastChecksum = header.Checksum;
        _lastPosition = new JournalPosition(_chunks[_chunkIndex].Sequence, header.Offset);
        _end = header.Offset + RecordHeader.SizeBytes + bodyBytes;
        BytesRead += RecordHeader.SizeBytes + bodyBytes;
    }
}
