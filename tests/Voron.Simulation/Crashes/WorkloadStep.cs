namespace Voron.Simulation.Crashes;

/// <summary>One letter with its details: the transactions of a commit, a group or a rollback, or the slot of a reader.</summary>
internal sealed record WorkloadStep(WorkloadLetter Letter, IReadOnlyList<WorkloadTransaction> Transactions, int Slot = 0);
