namespace Voron.Simulation.Crashes;

/// <summary>
/// One put, or with no value one delete, of a key that need not exist; with an end the delete of all keys from this one up to the end.
/// </summary>
internal readonly record struct WorkloadChange(byte[] Key, byte[]? Value, byte[]? End = null);
