namespace Voron.Simulation.Fuzz;

/// <summary>A checksummed range of an image's file.</summary>
internal readonly record struct FuzzRange(FuzzPart Part, string Path, long Offset, int Bytes);
