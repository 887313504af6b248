using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.Rescue;

/// <summary>
/// Follows the valid records of a commit journal along their checksums, and distinguishes a lost record from the rest of a torn write by
/// the rule of recovery: lost is what a later record says was on the device.
/// </summary>
internal sealed class RecordChain
{
    private ulong _last;
    private ulong _beforeBreak;
    private JournalPosition _end = new(0, FormatConstants.ChunkBodyOffset);
    private JournalPosition? _break;

    /// <summary>Takes the next valid record; returns whether it names the one before it.</summary>
    /// <param name="chunk">Sequence of its chunk.</param>
    /// <param name="header">The record.</param>
    /// <param name="lost">Place of an acknowledged record that is no longer valid, once that is known.</param>
    internal bool Take(long chunk, in RecordHeader header, out JournalPosition? lost)
    {
        bool follows = _last != 0 && header.PreviousChecksum == _last;
        bool isFirst = _end.Sequence == 0;
        if (_break is not null && header.PreviousChecksum == _beforeBreak)
        {
            // Recovery continued before the break: what follows it was never acknowledged.
            _break = null;
            follows = true;
        }
        else if (_break is null && !follows && (!isFirst || header.Offset != FormatConstants.ChunkBodyOffset))
        {
            _break = isFirst ? new JournalPosition(chunk, FormatConstants.ChunkBodyOffset) : _end;
            _beforeBreak = _last;
        }

        lost = _break is { } bad && new JournalPosition(header.DurableSequence, header.DurableOffset) >= bad ? bad : null;
        _break = lost is null ? _break : null;
        _last = header.Checksum;
        _end = new JournalPosition(
            chunk,
            ChunkContent.RoundUp(
                header.Offset + RecordHeader.SizeBytes + header.StoredBytes, FormatConstants.RecordAlignmentBytes));
        return follows;
    }
}
