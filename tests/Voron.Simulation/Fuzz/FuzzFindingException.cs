namespace Voron.Simulation.Fuzz;

/// <summary>A damaged file set led to something that must not be: a wrong answer, an untyped error, memory without bounds.</summary>
internal sealed class FuzzFindingException(string message, Exception? inner = null) : Exception(message, inner);
