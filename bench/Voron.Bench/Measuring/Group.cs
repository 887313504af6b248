namespace Voron.Bench.Measuring;

/// <summary>
/// Rows that are measured together: the same work of several engines, in turn. A whole run keeps each group when it is done.
/// </summary>
/// <param name="Section">The part of a whole run, a verb.</param>
/// <param name="Name">The group within it.</param>
/// <param name="Measure">Measures it.</param>
internal sealed record Group(string Section, string Name, Func<BenchRun, IReadOnlyList<Row>> Measure)
{
    /// <summary>How the command line and the file of a run call it.</summary>
    internal string Key => $"{Section}: {Name}";

    /// <summary>Its rows, which know where they belong.</summary>
    internal IReadOnlyList<Row> Run(BenchRun run) => [.. Measure(run).Select(row => row with { Section = Section, Group = Name })];
}
