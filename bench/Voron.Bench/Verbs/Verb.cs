namespace Voron.Bench.Verbs;

/// <summary>One thing that the program does.</summary>
/// <param name="Name">Its word on the command line.</param>
/// <param name="Says">What it measures, for the usage; lines of at most 110 columns.</param>
/// <param name="Run">Does it; the exit code.</param>
internal sealed record Verb(string Name, string Says, Func<Arguments, int> Run);
