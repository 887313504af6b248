using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.History;

/// <summary>
/// Reads the committed transactions after a given one from the commit chunks, beside the writer, in order and only up to the durable one.
/// The chain of checksums decides what belongs together, as in recovery: a record that was never acknowledged is not in it. A chunk that is
/// recycled meanwhile ends the chain, since its records then fail their checks.
/// <para>What was read ahead may be older than what the file has now. So a record that is not found is looked for once more in the file.
/// Only positions are kept of a transaction, never its redo, whatever its length.</para>
/// </summary>
internal sealed class ChangeReader : IDisposable
{
    private readonly JournalFiles _files;
    private readonly TransactionId _after;
    private readonly List<Place> _parts = [];

    /// <summary>
    /// Checksums of the last commit record read and of all records after it. The first record of the next chunk names one of them: the last
    /// one or, after a clean close, that of the commit record, whatever fragments followed it.
    /// </summary>
    private readonly HashSet<ulong> _ends = [];
    private ChunkContent? _content;
    private ChunkContent? _older;
    private long _end;
    private ulong _lastChecksum;

    /// <summary>Whether everything durable was read when it was last asked.</summary>
    private bool _isAtEnd;
    private bool _isListening;
    private TransactionId _last;

    internal ChangeReader(JournalFiles files, TransactionId after)
    {
        _files = files;
        _after = after;
        _last = after;
    }

    /// <summary>The last transaction that was read.</summary>
    internal TransactionId Last => _last;

    /// <summary>What of the transaction was undone by roll-backs to savepoints; null if nothing can have been.</summary>
    internal UndoneRedo? Undone { get; private set; }

    /// <summary>Records that make up the transaction.</summary>
    internal int Parts => _parts.Count;

    /// <summary>Bytes of redo of all parts.</summary>
    internal long Bytes { get; private set; }

    /// <summary>When the transaction was committed, in ticks; 0 if it has not noted that.</summary>
    internal long Ticks { get; private set; }

    /// <summary>Goes to the next transaction; false if it is not durable yet.</summary>
    /// <param name="durable">The last transaction that is durable.</param>
    /// <exception cref="ChangesGoneException">The journal no longer has it.</exception>
    internal bool TryRead(TransactionId durable)
    {
        TransactionId asked = TransactionId.Max(_last, _after);
        if (asked >= durable)
        {
            _isAtEnd = true;
            return false;
        }

        if (_isAtEnd)
        {
            // Most of what follows was written since the file was read.
            _isAtEnd = false;
            _content?.Forget();
        }

        bool isThere = _content is not null || TryStart();
        while (isThere && TryReadRecord(out RecordHeader header, out ReadOnlySpan<byte> body))
        {
            if (Take(header, body))
            {
                return true;
            }
        }

        Throw.Gone(asked, FindOldest(durable));
        return false;
    }

    /// <summary>Says that what comes next will be read as soon as it is durable, so that it is kept in memory.</summary>
    internal void Listen()
    {
        if (!_isListening)
        {
            _isListening = true;
            _files.Tail.Listen();
        }
    }

    /// <summary>Returns the redo of a part of the transaction, valid until the next call.</summary>
    internal ReadOnlySpan<byte> Part(int index)
    {
        Place part = _parts[index];
        if (ContentOf(part.Sequence) is not { } content
            || !content.TryRead(part.Offset, out RecordHeader header, out ReadOnlySpan<byte> body)
            || header.Checksum != part.Checksum)
        {
            Throw.Gone(new TransactionId(_last.Value - 1), _last);
            return default;
        }

        return body;
    }

    public void Dispose()
    {
        _content?.Dispose();
        _older?.Dispose();
        _content = null;
        _older = null;
        if (_isListening)
        {
            _isListening = false;
            _files.Tail.Leave();
        }
    }

    /// <summary>The oldest transaction after which the journal has all changes up to the durable one.</summary>
    internal TransactionId FindOldest(TransactionId durable)
    {
        foreach (long sequence in _files.ListSequences(ChunkKind.Commit))
        {
            if (FirstRecord.TryRead(_files, sequence) is { } first && first.Before < durable)
            {
                using ChangeReader reader = new(_files, first.Before);
                if (reader.Reaches(durable))
                {
                    return first.Before;
                }
            }
        }

        return durable;
    }

    private bool Reaches(TransactionId durable)
    {
        bool isThere = TryStart();
        while (isThere && _last < durable)
        {
            isThere = TryReadRecord(out RecordHeader header, out ReadOnlySpan<byte> body);
            if (isThere)
            {
                Take(header, body);
            }
        }

        return isThere;
    }

    /// <summary>
    /// Opens the chunk to begin in: the last one that has everything after the given transaction, together with later ones. An earlier one
    /// may have been cut, and one with records that recovery did not accept is always followed by one that begins with the same
    /// transaction or an earlier one.
    /// </summary>
    private bool TryStart()
    {
        List<long> sequences = _files.ListSequences(ChunkKind.Commit);
        for (int i = sequences.Count - 1; i >= 0; i--)
        {
            if (FirstRecord.TryRead(_files, sequences[i]) is { } first && first.Before <= _after)
            {
                _content = TryOpen(first.Sequence);
                _last = new TransactionId(first.Header.TransactionId.Value - 1);
                _lastChecksum = first.Header.PreviousChecksum;
                _end = FormatConstants.ChunkBodyOffset;
                return _content is not null;
            }
        }

        return false;
    }

    /// <summary>Takes the next record of the chain. Returns whether it ends a transaction that is wanted.</summary>
    private bool Take(in RecordHeader header, ReadOnlySpan<byte> body)
    {
        bool isCommit = (header.Flags & RecordFlags.Fragment) == 0;
        bool isWanted = header.TransactionId > _after;
        if (isWanted)
        {
            AddPart(header, body, isCommit);
        }

        if (isCommit)
        {
            _last = header.TransactionId;
            _ends.Clear();
        }

        _ends.Add(header.Checksum);
        return isCommit && isWanted;
    }

    private void AddPart(in RecordHeader header, ReadOnlySpan<byte> body, bool isCommit)
    {
        bool isFirst = isCommit ? header.FragmentCount == 0 : header.FragmentNumber == 0;
        if (isFirst)
        {
            // What was before belongs to a transaction that was rolled back.
            _parts.Clear();
            Bytes = 0;
            Undone = isCommit ? null : new UndoneRedo();
        }

        if (_parts.Count != (isCommit ? header.FragmentCount : header.FragmentNumber))
        {
            Throw.BadParts(header.TransactionId, isCommit ? header.FragmentCount : header.FragmentNumber, _parts.Count);
        }

        // Only a transaction that was written in fragments has noted its roll-backs.
        Undone?.LookThrough(new RedoReader(body, isFirst));
        Ticks = isCommit ? RedoReader.TimeOf(body, isFirst) : 0;
        _parts.Add(new Place(header.Sequence, header.Offset, header.Checksum));
        Bytes += body.Length;
    }

    private bool TryReadRecord(out RecordHeader header, out ReadOnlySpan<byte> body)
    {
        TryEnterKept();
        if (TryNextInChunk(out header, out body) || (TryEnterNext() && TryNextInChunk(out header, out body)))
        {
            _lastChecksum = header.Checksum;
            _end = header.Offset + RecordHeader.SizeBytes + body.Length;
            return true;
        }

        return false;
    }

    private bool TryNextInChunk(out RecordHeader header, out ReadOnlySpan<byte> body)
    {
        if (TryNext(out header, out body))
        {
            return true;
        }

        _content!.Forget();
        return TryNext(out header, out body);
    }

    /// <summary>Reads the next record: directly after the last one if they share a write, otherwise at the next block.</summary>
    private bool TryNext(out RecordHeader header, out ReadOnlySpan<byte> body) =>
        IsNext(ChunkContent.RoundUp(_end, FormatConstants.RecordAlignmentBytes), out header, out body)
        || IsNext(ChunkContent.RoundUp(_end, FormatConstants.BlockBytes), out header, out body);

    private bool IsNext(long offset, out RecordHeader header, out ReadOnlySpan<byte> body) =>
        _content!.TryRead(offset, out header, out body)
        && header.PreviousChecksum == _lastChecksum
        && header.TransactionId == _last.Next;

    /// <summary>Goes over to the chunk in which the chain goes on.</summary>
    private bool TryEnterNext()
    {
        foreach (long sequence in _files.ListSequences(ChunkKind.Commit))
        {
            if (sequence > _content!.Chunk.Sequence
                && FirstRecord.TryRead(_files, sequence) is { } first
                && first.Header.TransactionId == _last.Next
                && _ends.Contains(first.Header.PreviousChecksum)
                && TryOpen(sequence) is { } next)
            {
                Enter(next, first.Header);
                return true;
            }
        }

        return false;
    }

    /// <summary>
    /// Goes over to the chunk that is being written if memory has its beginning and the chain goes on there, without reading the files of
    /// either: commits would go on meanwhile.
    /// </summary>
    private void TryEnterKept()
    {
        if (_files.Tail.TryReadFirst(_content!.Chunk.Sequence, out RecordHeader first)
            && first.TransactionId == _last.Next
            && first.PreviousChecksum == _lastChecksum
            && TryOpen(first.Sequence) is { } next)
        {
            Enter(next, first);
        }
    }

    private void Enter(ChunkContent next, in RecordHeader first)
    {
        _content!.Dispose();
        _content = next;
        _lastChecksum = first.PreviousChecksum;
        _end = FormatConstants.ChunkBodyOffset;
    }

    private ChunkContent? ContentOf(long sequence)
    {
        if (_content!.Chunk.Sequence == sequence)
        {
            return _content;
        }

        if (_older is null || _older.Chunk.Sequence != sequence)
        {
            _older?.Dispose();
            _older = TryOpen(sequence);
        }

        return _older;
    }

    /// <summary>Opens a chunk; null if it was recycled.</summary>
    private ChunkContent? TryOpen(long sequence)
    {
        if (_files.Judge(ChunkKind.Commit, sequence, out Chunk chunk) != ChunkState.Sound)
        {
            return null;
        }

        try
        {
            return new ChunkContent(_files.Disk, chunk, tail: _files.Tail);
        }
        catch (StorageException) when (_files.Judge(ChunkKind.Commit, sequence, out _) != ChunkState.Sound)
        {
            return null;
        }
    }

    /// <param name="Sequence">The chunk of the record.</param>
    /// <param name="Offset">Its byte offset there.</param>
    /// <param name="Checksum">Its checksum.</param>
    private readonly record struct Place(long Sequence, long Offset, ulong Checksum);
}
