namespace Voron.Bench;

/// <summary>What the file of a run holds.</summary>
/// <param name="Machine">Where the figures come from.</param>
/// <param name="Versions">Of the peers' libraries.</param>
/// <param name="Settings">What makes two runs comparable: rows of other settings do not belong into one file.</param>
/// <param name="Rows">All rows so far.</param>
internal sealed record RunContent(string Machine, IReadOnlyList<string> Versions, string Settings, IReadOnlyList<Row> Rows);
