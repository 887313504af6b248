namespace Voron.Mutants;

/// <summary>One place of the engine that a rule's absence changes.</summary>
/// <param name="File">The file, relative to src/Voron.Storage.</param>
/// <param name="Text">The whole lines to replace; they occur exactly once in the file.</param>
/// <param name="Replacement">The lines that take their place.</param>
/// <param name="Place">File and line of the table, for messages.</param>
public sealed record MutantEdit(string File, string Text, string Replacement, string Place);
