namespace Voron.Storage;

/// <summary>Result of a check of one snapshot.</summary>
/// <param name="Findings">Everything that is wrong; empty for a sound database.</param>
/// <param name="PagesChecked">Number of pages checked.</param>
/// <param name="EntriesChecked">Entries of all trees, the catalog included.</param>
public sealed record CheckReport(IReadOnlyList<CheckFinding> Findings, long PagesChecked, long EntriesChecked)
{
    /// <summary>True when nothing is wrong.</summary>
    public bool IsClean => Findings.Count == 0;
}
