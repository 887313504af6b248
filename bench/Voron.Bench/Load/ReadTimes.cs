namespace Voron.Bench.Load;

/// <summary>How long reads of random keys take.</summary>
/// <param name="GetNanoseconds">A get.</param>
/// <param name="PositionNanoseconds">A position and ten entries from there.</param>
internal sealed record ReadTimes(double GetNanoseconds, double PositionNanoseconds);
