namespace Voron.Storage.Replication.Tests.Simulation;

/// <summary>A schedule found that a promise does not hold.</summary>
internal sealed class ViolationException(string message) : Exception(message);
