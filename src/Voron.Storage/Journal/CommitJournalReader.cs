using Voron.Storage.Format;
using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <summary>
/// Reads the commit journal from the record of a checkpoint's N on, record by record along the chain of checksums, until the table says
/// that it ends, with a piece or a record of it in memory at a time. Changes nothing.
/// </summary>
internal sealed class CommitJournalReader : IDisposable
{
    private readonly JournalFiles _files;
    private readonly List<Chunk> _chunks;
    private readonly List<long> _sequences;
    private readonly long _firstNeeded;
    private readonly long _claimed;
    private readonly long _closed;
    private readonly TransactionParts _parts;
    private readonly ChunkReadAhead? _ahead;
    private ChunkContent? _content;
    private int _chunkIndex;
    private long _end;
    private ulong _lastChecksum;
    private JournalPosition _lastPosition;
    private RecordMark _lastCommit;

    /// <param name="files">The journal.</param>
    /// <param name="mark">The record behind which reading begins.</param>
    /// <param name="claimed">A chunk that was durable when the newest header slot was written; 0 names none.</param>
    /// <param name="closed">No record stands behind the mark in chunks up to this one; 0 says nothing.</param>
    /// <param name="readsAhead">The next piece is read on a thread of its own.</param>
    internal CommitJournalReader(JournalFiles files, RecordMark mark, long claimed = 0, long closed = 0, bool readsAhead = false)
    {
        _files = files;
        _claimed = claimed;
        _closed = closed;
        _ahead = readsAhead ? new ChunkReadAhead() : null;
        _chunks = files.ListChunks(ChunkKind.Commit);
        _sequences = files.ListSequences(ChunkKind.Commit);
        _firstNeeded = Math.Max(1, mark.Position.Sequence);
        _parts = new TransactionParts(mark.TransactionId);
        _lastCommit = mark;
        if (mark.TransactionId == TransactionId.None)
        {
            StartAtFirstChunk();
        }
        else
        {
            try
            {
                StartBehind(mark);
            }
            catch
            {
                Dispose();
                throw;
            }
        }
    }

    /// <summary>Where new commits go on; asked for when <see cref="TryRead"/> has returned false.</summary>
    internal JournalStart End => new(_lastCommit, _lastChecksum, _lastPosition, HighestSequence, _chunks);

    /// <summary>
    /// Sequences are never used twice, also when the chunk is gone: what is known of chunks up to one must stay true.
    /// </summary>
    private long HighestSequence => Math.Max(
        Math.Max(_claimed, _closed),
        _sequences.Count == 0 ? 0 : _sequences[^1]);

    /// <summary>The record of the last transaction given out, or the one that reading began behind.</summary>
    internal RecordMark LastCommit => _lastCommit;

    /// <summary>Length of the chunks from the first needed one on.</summary>
    internal long TotalBytes => _chunks.Where(chunk => chunk.Sequence >= _firstNeeded).Sum(static chunk => chunk.Bytes);

    /// <summary>How far reading has come in them.</summary>
    internal long BytesRead => _chunkIndex < 0
        ? 0
        : _end + _chunks.Take(_chunkIndex).Where(chunk => chunk.Sequence >= _firstNeeded).Sum(static chunk => chunk.Bytes);

    /// <summary>
    /// Where the journal ends when something that was begun there counts for nothing: the rest of a write that a crash cut short. It
    /// was never acknowledged, unless it was and rotted afterwards, which nothing can tell.
    /// </summary>
    internal JournalPosition TornAt { get; private set; }

    /// <summary>The device cannot read there, or somewhere behind it.</summary>
    internal bool IsTailUnreadable { get; private set; }

    /// <summary>The next part of a transaction, valid until the next call; false at the end of the journal.</summary>
    /// <exception cref="CorruptJournalException">A record that was acknowledged is lost.</exception>
    internal bool TryRead(out TransactionPart part)
    {
        if (!TryReadRecord(out RecordHeader header, out ReadOnlySpan<byte> body))
        {
            part = default;
            return false;
        }

        part = _parts.Take(header, body);
        if (part.IsLast)
        {
            _lastCommit = new RecordMark(part.Id, _lastPosition, header.Checksum);
        }

        return true;
    }

    public void Dispose()
    {
        _content?.Dispose();
        _ahead?.Dispose();
    }

    private void StartAtFirstChunk()
    {
        // Before the first chunk: the verdict finds the one that holds the first record, if there is one.
        _chunkIndex = -1;
        _end = FormatConstants.ChunkBodyOffset;
    }

    private void StartBehind(RecordMark mark)
    {
        _chunkIndex = _chunks.FindIndex(chunk => chunk.Sequence == mark.Position.Sequence);
        _lastChecksum = mark.Checksum;
        _lastPosition = mark.Position;
        if (_chunkIndex < 0 && IsSpared(mark.Position.Sequence))
        {
            _chunkIndex = _chunks.FindLastIndex(chunk => chunk.Sequence < mark.Position.Sequence);
            return;
        }

        if (_chunkIndex < 0)
        {
            ChunkState state = _files.Judge(ChunkKind.Commit, mark.Position.Sequence, out _);
            Throw.LostChunk(_files.PathOf(ChunkKind.Commit, mark.Position.Sequence), state);
        }

        _content = new ChunkContent(_files.Disk, _chunks[_chunkIndex], _ahead);
        bool isThere = _content.TryRead(mark.Position.Offset, out RecordHeader header, out ReadOnlySpan<byte> body)
            && header.Checksum == mark.Checksum;
        if (!isThere && !IsClosed(mark.Position.Sequence))
        {
            Throw.BadMark(_chunks[_chunkIndex].Path, mark.Position);
        }

        // In a closed chunk the record is needed for nothing: the data file has it, and whatever was begun since is in a later chunk.
        _end = mark.Position.Offset + RecordHeader.SizeBytes + body.Length;
    }

    private bool TryReadRecord(out RecordHeader header, out ReadOnlySpan<byte> body)
    {
        header = default;
        body = default;
        if (OpenContent is not null && TryNextInChunk(out header, out body))
        {
            Advance(header, body.Length);
            return true;
        }

        // The place where the next record should have been. An earlier end of the same write counts: the loss may be there.
        JournalPosition bad = OpenContent is { } content
            ? new JournalPosition(content.Chunk.Sequence, ChunkContent.RoundUp(_end, FormatConstants.RecordAlignmentBytes))
            : new JournalPosition(_closed + 1, FormatConstants.ChunkBodyOffset);
        int later = FindChunkThatGoesOn();
        long lost = later < 0 ? FindLostPredecessor() : 0;
        JournalPosition proof = default;
        bool proven = later < 0 && lost == 0 && (TryFindProof(bad, out proof) || TryFindProofInDamaged(bad, out proof));
        switch (ReplayTable.Judge(nextIsGood: false, later >= 0, lost != 0, proven))
        {
            case ReplayVerdict.LaterChunk:
                Enter(later);
                return TryReadRecord(out header, out body);
            case ReplayVerdict.LostChunk:
                Throw.LostChunk(_files.PathOf(ChunkKind.Commit, lost), _files.Judge(ChunkKind.Commit, lost, out _));
                return false;
            case ReplayVerdict.LostMiddle:
                Throw.LostMiddle(_files.PathOf(ChunkKind.Commit, bad.Sequence), bad, proof);
                return false;
            default:
                NoteTail(bad);
                return false;
        }
    }

    private void NoteTail(JournalPosition bad)
    {
        if (OpenContent is { } content)
        {
            RequireReadable(content);
            IsTailUnreadable = content.Unreadable.Count > 0
                && content.Unreadable.Last >= bad.Offset / FormatConstants.BlockBytes * FormatConstants.BlockBytes;
            TornAt = IsTailUnreadable || content.HasBegun(bad.Offset) ? bad : JournalPosition.None;
        }
    }

    /// <summary>Holds nothing behind the record that reading begins behind; only that one is looked at.</summary>
    private bool IsClosed(long sequence) => sequence <= _closed;

    /// <summary>A closed chunk that has lost its header is needed for nothing. One that is missing says that files were removed.</summary>
    private bool IsSpared(long sequence) =>
        IsClosed(sequence) && _files.Judge(ChunkKind.Commit, sequence, out _) == ChunkState.Damaged;

    /// <summary>The chunk that the next record may stand in.</summary>
    private ChunkContent? OpenContent => _content is not null && !IsClosed(_content.Chunk.Sequence) ? _content : null;

    /// <summary>The next record stands right behind the last one, if they share a write, or at the next block.</summary>
    private bool TryNextInChunk(out RecordHeader header, out ReadOnlySpan<byte> body)
    {
        long sameWrite = ChunkContent.RoundUp(_end, FormatConstants.RecordAlignmentBytes);
        long nextWrite = ChunkContent.RoundUp(_end, FormatConstants.BlockBytes);
        return IsNext(_content!, sameWrite, out header, out body) || IsNext(_content!, nextWrite, out header, out body);
    }

    private bool IsNext(ChunkContent content, long offset, out RecordHeader header, out ReadOnlySpan<byte> body)
    {
        if (!content.TryRead(offset, out header, out body))
        {
            return false;
        }

        // Salt, sequence and offset are enough on a disk that returns what was written; chain and id are a second belt against one that
        // returns an older block of the same chunk.
        bool chained = header.PreviousChecksum == _lastChecksum;
        return chained && header.TransactionId == _lastCommit.TransactionId.Next.Value;
    }

    private int FindChunkThatGoesOn()
    {
        for (int i = _chunkIndex + 1; i < _chunks.Count; i++)
        {
            if (IsClosed(_chunks[i].Sequence))
            {
                continue;
            }

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
        proof = default;
        if (OpenContent?.TryFindProof(_end, bad, out proof) == true)
        {
            return true;
        }

        for (int i = _chunkIndex + 1; i < _chunks.Count; i++)
        {
            if (IsClosed(_chunks[i].Sequence))
            {
                continue;
            }

            using ChunkContent content = new(_files.Disk, _chunks[i]);
            if (content.TryFindProof(FormatConstants.ChunkBodyOffset, bad, out proof))
            {
                return true;
            }

            RequireReadable(content);
        }

        return false;
    }

    /// <summary>
    /// A write that a power cut tore leaves a few sectors that cannot be read. A device that fails in larger parts may hide all that was
    /// acknowledged, and the proof of it as well: then nothing is decided, and a later open may find it well again.
    /// </summary>
    private static void RequireReadable(ChunkContent content)
    {
        const int MostBlocks = 16;
        if (content.Unreadable is { Count: > MostBlocks } unreadable)
        {
            Platform.Throw.Failed(unreadable.Error, "read", content.Chunk.Path, unreadable.First);
        }
    }

    /// <summary>
    /// A chunk that a later one names as the one before it, or that the header slot names, and that is not sound; 0 when there is none.
    /// It was in use when the later one was made, so it was whole and durable, and whatever it held is lost. Chunks before the first
    /// needed one may have been recycled, and so may those that the slot knows to hold nothing.
    /// </summary>
    private long FindLostPredecessor()
    {
        for (int i = _chunkIndex + 1; i < _chunks.Count; i++)
        {
            long previous = _chunks[i].PreviousSequence;
            if (previous >= _firstNeeded && !IsClosed(previous) && !_chunks.Exists(chunk => chunk.Sequence == previous))
            {
                return previous;
            }
        }

        // Recycled is a chunk only when N stands behind it.
        bool isNeeded = _claimed >= _firstNeeded && !_chunks.Exists(chunk => chunk.Sequence == _claimed) && !IsSpared(_claimed);
        return isNeeded ? _claimed : 0;
    }

    /// <summary>
    /// A header is durable before its chunk is used, so a damaged one has rotted. When the records behind it go on from the last good one,
    /// or say that the bad place was on the device, that is a loss; a damaged chunk that holds neither concerns nobody.
    /// </summary>
    private bool TryFindProofInDamaged(JournalPosition bad, out JournalPosition proof)
    {
        proof = default;

        foreach (long sequence in _sequences)
        {
            if (IsClosed(sequence)
                || sequence <= bad.Sequence - (OpenContent is null ? 1 : 0)
                || _files.Judge(ChunkKind.Commit, sequence, out _) != ChunkState.Damaged)
            {
                continue;
            }

            using ChunkContent content = ChunkContent.OfDamaged(_files, sequence);
            if (IsNext(content, FormatConstants.ChunkBodyOffset, out _, out _))
            {
                proof = new JournalPosition(sequence, FormatConstants.ChunkBodyOffset);
                return true;
            }

            if (content.TryFindProof(FormatConstants.ChunkBodyOffset, bad, out proof))
            {
                return true;
            }
        }

        return false;
    }

    private void Enter(int index)
    {
        _content?.Dispose();
        _content = new ChunkContent(_files.Disk, _chunks[index], _ahead);
        _chunkIndex = index;
        _end = FormatConstants.ChunkBodyOffset;
    }

    private void Advance(in RecordHeader header, int bodyBytes)
    {
        _lastChecksum = header.Checksum;
        _lastPosition = new JournalPosition(_chunks[_chunkIndex].Sequence, header.Offset);
        _end = header.Offset + RecordHeader.SizeBytes + bodyBytes;
    }
}
