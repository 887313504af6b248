namespace Voron.Storage;

/// <summary>
/// The files of a journal as they are, without a verdict about what recovery needs of them: opening the database read-only gives that.
/// </summary>
/// <param name="Chunks">Commit chunks, then page chunks, each in order of their numbers.</param>
/// <param name="Findings">What is damaged, missing or foreign; empty for a journal in which everything is sound.</param>
public sealed record JournalReport(IReadOnlyList<ChunkReport> Chunks, IReadOnlyList<string> Findings)
{
    /// <summary>True when nothing is damaged, missing or foreign.</summary>
    public bool IsClean => Findings.Count == 0;
}
