using Voron.Storage.Format;
using Voron.Storage.Pages;

namespace Voron.Storage.Checkpoints;

/// <summary>Gives space back to the file system once the header of a checkpoint is durable: the free end and large holes.</summary>
internal sealed class FreeSpace(DatabaseParts parts)
{
    private readonly FileTail _tail = new(parts.File, parts.Versions, parts.Readers, parts.Pipeline, parts.Placed);
    private readonly HolePunch _holes = new(parts);

    internal void GiveBack(UsedPages before, CheckpointBase now, bool ownsWriterLock)
    {
        _tail.Cut(now.TransactionId.Value, now.Used.EndPage, ownsWriterLock);
        PunchFree(before, now.Used, ownsWriterLock);
    }

    internal void PunchFree(UsedPages before, UsedPages now, bool ownsWriterLock) => _holes.Punch(before, now, ownsWriterLock);
}
