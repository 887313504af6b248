namespace Voron.Storage;

/// <summary>What a compaction did.</summary>
/// <param name="MovedPages">Pages whose content was moved.</param>
/// <param name="MergedPages">Leaves that were merged with the one before them, and are free.</param>
/// <param name="UsedBytes">Bytes of the pages in use now.</param>
/// <param name="FileBytesBefore">Length of the data file before, in bytes.</param>
/// <param name="FileBytesAfter">
/// Its length now. If read transactions, or readers in other processes, hold older snapshots, it shrinks further at the checkpoints after
/// they have ended.
/// </param>
public sealed record CompactReport(long MovedPages, long MergedPages, long UsedBytes, long FileBytesBefore, long FileBytesAfter);
