namespace Voron.Simulation.Crashes;

/// <summary>Is shown the rows of a database in ascending order of their keys.</summary>
internal delegate void ContentVisitor(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value);
