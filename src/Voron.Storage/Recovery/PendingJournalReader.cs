using Voron.Storage.Commits;
using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.Recovery;

/// <summary>
/// Reads the records of transactions from one on, up to that of a checkpoint's snapshot, along the chain of checksums. All of them must be
/// there: they are older than the checkpoint.
/// </summary>
internal sealed class PendingJournalReader : IDisposable
{
    private readonly JournalFiles _files;
    private readonly RecordMark _until;
    private readonly long _first;
    private readonly TransactionId _since;
    private readonly List<Chunk> _chunks;
    private int _index;
    private ChunkContent _content;
    private long _end = FormatConstants.ChunkBodyOffset;
    private ulong _lastChecksum;
    private ulong _lastCommitChecksum;
    private TransactionId _lastId;
    private TransactionParts? _parts;
    private bool _isDone;

    /// <param name="files">The journal.</param>
    /// <param name="first">The chunk to begin with.</param>
    /// <param name="until">The last record.</param>
    /// <param name="since">The first transaction that counts, whose record must be there.</param>
    internal PendingJournalReader(JournalFiles files, long first, RecordMark until, TransactionId since)
    {
        _first = first;
        _since = since;
        _files = files;
        _until = until;
        _chunks = files.ListChunks(ChunkKind.Commit);
        _chunks.RemoveAll(chunk => chunk.Sequence < first || chunk.Sequence > until.Position.Sequence);
        if (_chunks.Count == 0 || _chunks[0].Sequence != first)
        {
            ChunkState state = files.Judge(ChunkKind.Commit, first, out _);
            Throw.LostChunk(files.PathOf(ChunkKind.Commit, first), state);
        }

        _index = FindStart();
        _content = new ChunkContent(files.Disk, _chunks[_index]);
    }

    /// <summary>Reads the next part of a transaction that counts, valid until the next call; returns false after the last record.</summary>
    internal bool TryRead(out TransactionPart part)
    {
        part = default;
        while (!_isDone)
        {
            Next(out RecordHeader header, out ReadOnlySpan<byte> body);
            if (header.TransactionId < _since)
            {
                continue;
            }

            if (_parts is null && !Begins(header))
            {
                // The chunk begins within a transaction that is not needed; its last record ends it.
                continue;
            }

            if (_parts is null && header.TransactionId > _since)
            {
                JournalPosition begin = new(_first, FormatConstants.ChunkBodyOffset);
                Throw.LostMiddle(_content.Chunk.Path, begin, new JournalPosition(header.Sequence, header.Offset));
            }

            _parts ??= new TransactionParts(new TransactionId(header.TransactionId.Value - 1));
            part = _parts.Take(header, body);
            return true;
        }

        return false;
    }

    public void Dispose() => _content.Dispose();

    /// <summary>
    /// Returns the last chunk that begins at the first transaction that counts or before it. Chunks before it need not lead to it: behind a
    /// clean close, or what a crash left, the journal goes on in another chunk.
    /// </summary>
    private int FindStart()
    {
        for (int i = _chunks.Count - 1; i > 0; i--)
        {
            using ChunkContent content = new(_files.Disk, _chunks[i]);
            if (content.TryRead(FormatConstants.ChunkBodyOffset, out RecordHeader header, out _)
                && (header.TransactionId < _since || (header.TransactionId == _since && Begins(header))))
            {
                return i;
            }
        }

        return 0;
    }

    /// <summary>Whether a record is the first of its transaction.</summary>
    private static bool Begins(in RecordHeader header) =>
        (header.Flags & RecordFlags.Fragment) == 0 ? header.FragmentCount == 0 : header.FragmentNumber == 0;

    private void Next(out RecordHeader header, out ReadOnlySpan<byte> body)
    {
        if (!TryNext(out header, out body))
        {
            JournalPosition bad = new(_content.Chunk.Sequence, ChunkContent.RoundUp(_end, FormatConstants.RecordAlignmentBytes));
            Throw.LostMiddle(_files.PathOf(ChunkKind.Commit, bad.Sequence), bad, _until.Position);
        }

        _lastChecksum = header.Checksum;
        _lastId = header.TransactionId;
        _lastCommitChecksum = (header.Flags & RecordFlags.Fragment) == 0 ? header.Checksum : _lastCommitChecksum;
        _end = header.Offset + RecordHeader.SizeBytes + body.Length;
        JournalPosition position = new(header.Sequence, header.Offset);
        if (position == _until.Position)
        {
            _isDone = true;
            if (header.Checksum != _until.Checksum)
            {
                Throw.BadMark(_content.Chunk.Path, position);
            }
        }
    }

    private bool TryNext(out RecordHeader header, out ReadOnlySpan<byte> body)
    {
        long sameWrite = ChunkContent.RoundUp(_end, FormatConstants.RecordAlignmentBytes);
        long nextWrite = ChunkContent.RoundUp(_end, FormatConstants.BlockBytes);
        if (IsNext(sameWrite, out header, out body) || IsNext(nextWrite, out header, out body))
        {
            return true;
        }

        while (++_index < _chunks.Count)
        {
            _content.Dispose();
            _content = new ChunkContent(_files.Disk, _chunks[_index]);
            if (IsNext(FormatConstants.ChunkBodyOffset, out header, out body))
            {
                return true;
            }
        }

        return false;
    }

    private bool IsNext(long offset, out RecordHeader header, out ReadOnlySpan<byte> body) =>
        _content.TryRead(offset, out header, out body) && (_lastChecksum == 0 || Continues(header));

    /// <summary>
    /// Whether a record follows the last one or, in another chunk, the last commit: a clean close ignores what a transaction that did not
    /// commit has left behind it. If all that was read is of such a transaction, that commit is not known, but the record has the number
    /// of the transaction.
    /// </summary>
    private bool Continues(in RecordHeader header)
    {
        bool isAfterCommit = _lastCommitChecksum == 0
            ? header.TransactionId == _lastId
            : header.PreviousChecksum == _lastCommitChecksum;
        return header.PreviousChecksum == _lastChecksum || (header.Offset == FormatConstants.ChunkBodyOffset && isAfterCommit);
    }
}
