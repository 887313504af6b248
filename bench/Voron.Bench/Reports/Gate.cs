namespace Voron.Bench.Reports;

/// <summary>Something that a run must reach.</summary>
/// <param name="Name">What, with its unit.</param>
/// <param name="Must">The bound.</param>
/// <param name="Goal">What is hoped for.</param>
/// <param name="IsCeiling">Whether the figure must stay below its bound instead of reaching it.</param>
/// <param name="Figure">The figure of a run; null when the run has not the rows for it.</param>
internal sealed record Gate(string Name, double Must, double Goal, bool IsCeiling, Func<IReadOnlyList<Row>, double?> Figure)
{
    /// <summary>How a figure stands to it, in a word.</summary>
    internal string Verdict(double? figure) => figure switch
    {
        null => "not measured",
        { } reached when Reaches(reached, Goal) => "goal",
        { } reached when Reaches(reached, Must) => "holds",
        _ => "missed",
    };

    private bool Reaches(double figure, double bound) => IsCeiling ? figure <= bound : figure >= bound;
}
