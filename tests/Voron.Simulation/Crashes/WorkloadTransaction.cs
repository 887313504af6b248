namespace Voron.Simulation.Crashes;

/// <summary>
/// The changes of one write transaction, in order, what its commit asks for, and whether the caller waits asynchronously.
/// </summary>
internal sealed record WorkloadTransaction(
    IReadOnlyList<WorkloadChange> Changes, CommitPromise Promise = CommitPromise.Durable, bool IsAsync = false);
