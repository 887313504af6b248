using System.Globalization;

namespace Voron.Bench.Counts;

/// <summary>What a durable commit costs in things that can be counted exactly, on every machine alike.</summary>
/// <param name="Name">Which commits.</param>
/// <param name="BytesPerCommit">Journal bytes written.</param>
/// <param name="WritesPerCommit">Write calls on the journal.</param>
/// <param name="SyncsPerCommit">Sync calls on the journal.</param>
/// <param name="ManagedBytesPerTransaction">
/// Managed bytes that the calling thread allocated from begin to end, warm; the median, since tables of the whole database grow now and
/// then.
/// </param>
internal sealed record CommitCounts(
    string Name, double BytesPerCommit, double WritesPerCommit, double SyncsPerCommit, double ManagedBytesPerTransaction)
{
    /// <summary>One line for people.</summary>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Name,-28} {BytesPerCommit,10:N2} bytes {WritesPerCommit,6:0.00} writes {SyncsPerCommit,6:0.00} syncs a commit, "
        + $"{ManagedBytesPerTransaction,8:N2} managed bytes a transaction");
}
