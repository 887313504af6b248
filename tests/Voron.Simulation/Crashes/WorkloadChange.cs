namespace Voron.Simulation.Crashes;

/// <summary>One put, or with no value one delete, of a key that need not exist.</summary>
internal readonly record struct WorkloadChange(byte[] Key, byte[]? Value);
