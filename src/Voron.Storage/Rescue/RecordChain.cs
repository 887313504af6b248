using Voron.Storage.Format;
using Voron.Storage.Journal;

namespace Voron.Storage.Rescue;

/// <summary>
/// Follows the sound records of a commit journal along their checksums and tells a lost record from the rest of a write that a crash cut
/// short, by the rule that recovery has: lost is what a later record says was on the device.
/// </summary>
internal sealed class RecordChain
{
    private ulong _last;
    private ulong _beforeBreak;
    private JournalPosition _end = new(0, FormatConstants.ChunkBodyOffset);
    private JournalPosition? _break;

    /// <summary>Takes the next sound record; true when it names the one before it.</summary>
    /// <param name="chunk">Sequence of its chunk.</param>
    /// <param name="header">The record.</param>
    /// <param name="lost">Where something stood that was acknowledged and is not sound any more, once that is known.</param>
    internal bool Take(long chunk, in RecordHeader header, out JournalPosition? lost)
    {
        bool follows = _last != 0 && header.PreviousChecksum == _last;
        bool isFirst = _end.Sequence == 0;
        if (_break is not null && header.PreviousChecksum == _beforeBreak)
        {
            // Recovery went on before the break: what stands behind it was never acknowledged.
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
