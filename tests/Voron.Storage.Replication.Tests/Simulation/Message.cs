namespace Voron.Storage.Replication.Tests.Simulation;

/// <summary>An entry on its way to the log.</summary>
/// <param name="Bytes">The entry.</param>
/// <param name="Expected">The end of the log that its sender expects.</param>
internal sealed record Message(byte[] Bytes, long Expected);
