namespace Voron.Simulation.Crashes;

/// <summary>The changes of one write transaction, in order, and what its commit asks for.</summary>
internal sealed record WorkloadTransaction(IReadOnlyList<WorkloadChange> Changes, CommitPromise Promise = CommitPromise.Durable);
