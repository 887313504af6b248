namespace Voron.Bench;

/// <summary>What the file of a run holds.</summary>
/// <param name="Machine">Where the figures come from.</param>
/// <param name="Versions">Of the peers' libraries.</param>
/// <param name="Settings">What makes two runs comparable: rows of other settings do not belong into one file.</param>
/// <param name="Rows">All rows so far.</param>
/// <param name="Begun">The day on which the run began.</param>
/// <param name="Engines">Commits of ours that rows are of; more than one when a run went on with another build.</param>
/// <param name="Commands">The command lines, one after another, that the rows came from.</param>
internal sealed record RunContent(
    string Machine, IReadOnlyList<string> Versions, string Settings, IReadOnlyList<Row> Rows, string? Begun = null,
    IReadOnlyList<string>? Engines = null, IReadOnlyList<string>? Commands = null);
