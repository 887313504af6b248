using Voron.Storage.Commits;
using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.Recovery;

/// <summary>
/// Reads the commit journal from the record of a checkpoint's N on, record by record along the chain of checksums, until
/// <see cref="ReplayTable"/> says that it ends. Keeps one piece or one record in memory at a time, and changes nothing.
/// </summary>
internal sealed class CommitJournalReader : IDisposable
{
    private readonly JournalFiles _files;
    private readonly ListedChunks _chunks;
    private readonly TransactionParts _parts;
    private readonly ChunkReadAhead? _ahead;
    private readonly bool _isWriterOther;
    private Start _start;
    private ChunkContent? _content;
    private int _chunkIndex;
    private long _end;
    private ulong _lastChecksum;
    private JournalPosition _lastPosition;
    private RecordMark _lastCommit;

    /// <param name="files">The journal.</param>
    /// <param name="mark">The record after which reading begins.</param>
    /// <param name="claimed">A chunk that was durable when the newest header slot was written; 0 for none.</param>
    /// <param name="closed">Chunks up to this one hold no record after the mark; 0 if unknown.</param>
    /// <param name="readsAhead">Whether a separate thread reads the next piece.</param>
    /// <param name="isWriterOther">Whether another process writes the journal, and few records follow the mark.</param>
    internal CommitJournalReader(
        JournalFiles files,
        RecordMark mark,
        long claimed = 0,
        long closed = 0,
        bool readsAhead = false,
        bool isWriterOther = false)
    {
        _files = files;
        _ahead = readsAhead ? new ChunkReadAhead() : null;
        _isWriterOther = isWriterOther;
        _chunks = new ListedChunks(files, mark, claimed, closed);
        _parts = new TransactionParts(mark.TransactionId);
        _lastCommit = mark;
        if (mark.Position == JournalPosition.None)
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

        _start = new Start(_chunkIndex, _content is not null, _end, mark);
    }

    /// <summary>The last transaction to read: the journal ends there for this reader, whatever follows.</summary>
    internal TransactionId Last { get; set; } = TransactionId.AfterAll;

    /// <summary>Where new commits continue; valid once <see cref="TryRead"/> has returned false.</summary>
    internal JournalStart End => new(_lastCommit, _lastChecksum, _lastPosition, _chunks.HighestSequence, _chunks.All);

    /// <summary>The record of the last transaction returned, or the record after which reading began.</summary>
    internal RecordMark LastCommit => _lastCommit;

    /// <summary>Length in bytes of the chunks from the first needed one on.</summary>
    internal long TotalBytes => _chunks.NeededBytesBefore(_chunks.Count);

    /// <summary>How many of the <see cref="TotalBytes"/> have been read.</summary>
    internal long BytesRead => _chunkIndex < 0
        ? 0
        : Math.Min(_end, _chunks[_chunkIndex].Bytes) + _chunks.NeededBytesBefore(_chunkIndex);

    /// <summary>
    /// Where the journal ends if it ends in a torn write: a record that a crash cut short and that replay ignores. It was never
    /// acknowledged, unless it was acknowledged and rotted later, which cannot be told apart.
    /// </summary>
    internal JournalPosition TornAt { get; private set; }

    /// <summary>Whether the device cannot read the place where the journal ends, or a block after it.</summary>
    internal bool IsTailUnreadable { get; private set; }

    /// <summary>Reads the next part of a transaction, valid until the next call; returns false at the end of the journal.</summary>
    /// <exception cref="CorruptJournalException">An acknowledged record is lost.</exception>
    internal bool TryRead(out TransactionPart part)
    {
        RecordHeader header = default;
        ReadOnlySpan<byte> body = default;
        if (_lastCommit.TransactionId >= Last || !TryReadRecord(out header, out body))
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

    /// <summary>Begins again where reading began; what is in memory is not read again.</summary>
    internal void Restart()
    {
        if (_chunkIndex != _start.ChunkIndex)
        {
            _content?.Dispose();
            _content = null;
            _chunkIndex = _start.ChunkIndex;
            _content = _start.IsOpen ? Open(_chunks[_chunkIndex]) : null;
        }

        _end = _start.End;
        _lastCommit = _start.Mark;
        _lastPosition = _start.Mark.Position;
        _lastChecksum = _start.Mark.Checksum;
        _parts.Restart(_start.Mark.TransactionId);
        TornAt = JournalPosition.None;
        IsTailUnreadable = false;
    }

    /// <summary>
    /// After <see cref="Last"/> has been read, continues with what was written since, up to a later one. Chunks begun since are not found.
    /// </summary>
    internal void Continue(TransactionId last)
    {
        _content?.Forget();
        _start = new Start(_chunkIndex, _content is not null, _end, _lastCommit);
        Last = last;
    }

    public void Dispose()
    {
        _content?.Dispose();
        _ahead?.Dispose();
    }

    private void StartAtFirstChunk()
    {
        // Start before the first chunk: the verdict finds the chunk that holds the first record, if there is one.
        _chunkIndex = -1;
        _end = FormatConstants.ChunkBodyOffset;
    }

    private void StartBehind(RecordMark mark)
    {
        _chunkIndex = _chunks.All.FindIndex(chunk => chunk.Sequence == mark.Position.Sequence);
        _lastChecksum = mark.Checksum;
        _lastPosition = mark.Position;
        if (_chunkIndex < 0 && _chunks.IsSpared(mark.Position.Sequence))
        {
            _chunkIndex = _chunks.All.FindLastIndex(chunk => chunk.Sequence < mark.Position.Sequence);
            return;
        }

        if (_chunkIndex < 0)
        {
            ChunkState state = _files.Judge(ChunkKind.Commit, mark.Position.Sequence, out _);
            Throw.LostChunk(_files.PathOf(ChunkKind.Commit, mark.Position.Sequence), state);
        }

        _content = Open(_chunks[_chunkIndex]);
        bool isThere = _content.TryRead(mark.Position.Offset, out RecordHeader header, out ReadOnlySpan<byte> body)
            && header.Checksum == mark.Checksum;
        if (!isThere && !_chunks.IsClosed(mark.Position.Sequence))
        {
            Throw.BadMark(_chunks[_chunkIndex].Path, mark.Position);
        }

        // In a closed chunk the record is not needed: the data file contains it, and anything begun since is in a later chunk.
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

        // Where the next record should have been. Of the two possible places this is the earlier one: the loss may be there.
        JournalPosition bad = OpenContent is { } content
            ? new JournalPosition(content.Chunk.Sequence, ChunkContent.RoundUp(_end, FormatConstants.RecordAlignmentBytes))
            : new JournalPosition(_chunks.Closed + 1, FormatConstants.ChunkBodyOffset);
        int later = FindChunkThatGoesOn();
        long lost = later < 0 ? _chunks.FindLost(_chunkIndex) : 0;
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

    /// <summary>The current chunk if it may hold the next record, otherwise null.</summary>
    private ChunkContent? OpenContent => _content is not null && !_chunks.IsClosed(_content.Chunk.Sequence) ? _content : null;

    /// <summary>Reads the next record: directly after the last one if they share a write, otherwise at the next block.</summary>
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

        // Salt, sequence and offset suffice on a disk that returns what was written. Chain and id also catch a disk that returns an older
        // block of the same chunk.
        bool chained = header.PreviousChecksum == _lastChecksum;
        return chained && header.TransactionId == _lastCommit.TransactionId.Next;
    }

    private int FindChunkThatGoesOn()
    {
        for (int i = _chunkIndex + 1; i < _chunks.Count; i++)
        {
            if (_chunks.IsClosed(_chunks[i].Sequence))
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
            if (_chunks.IsClosed(_chunks[i].Sequence))
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
    /// Throws if too many blocks are unreadable. A torn write leaves a few unreadable sectors. A device that fails in larger parts may hide
    /// acknowledged records and the proof of their loss, so recovery stops undecided; a later open may find it readable again.
    /// </summary>
    private static void RequireReadable(ChunkContent content)
    {
        const int MostBlocks = 16;
        if (content.Unreadable is { Count: > MostBlocks } unreadable)
        {
            IO.Throw.Failed(unreadable.Error, "read", content.Chunk.Path, unreadable.First);
        }
    }

    /// <summary>
    /// Searches chunks with damaged headers for proof of a loss. A header is durable before its chunk is used, so a damaged one has rotted.
    /// It is a loss if the chunk's records continue the chain or say that the bad place was on the device; otherwise the chunk is ignored.
    /// </summary>
    private bool TryFindProofInDamaged(JournalPosition bad, out JournalPosition proof)
    {
        proof = default;

        foreach (long sequence in _chunks.Sequences)
        {
            if (_chunks.IsClosed(sequence)
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
        _content = Open(_chunks[index]);
        _chunkIndex = index;
        _end = FormatConstants.ChunkBodyOffset;
    }

    private ChunkContent Open(Chunk chunk) =>
        _isWriterOther ? ChunkContent.OfWriter(_files.Disk, chunk) : new ChunkContent(_files.Disk, chunk, _ahead);

    private void Advance(in RecordHeader header, int bodyBytes)
    {
        _lastChecksum = header.Checksum;
        _lastPosition = new JournalPosition(_chunks[_chunkIndex].Sequence, header.Offset);
        _end = header.Offset + RecordHeader.SizeBytes + bodyBytes;
    }

    /// <summary>Where reading begins: behind a record, in a chunk that is open or before a later one.</summary>
    private readonly record struct Start(int ChunkIndex, bool IsOpen, long End, RecordMark Mark);
}
