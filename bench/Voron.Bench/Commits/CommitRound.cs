namespace Voron.Bench.Commits;

/// <summary>One round of a row.</summary>
/// <param name="Seconds">Of all transactions, until all of them are as safe as they are to be.</param>
/// <param name="CommitsPerWrite">Transactions a journal write; those that share one count each.</param>
/// <param name="ManagedBytes">Allocated meanwhile.</param>
/// <param name="LimitSeconds">One write of a transaction's size, by the device alone, right before.</param>
internal sealed record CommitRound(double Seconds, double CommitsPerWrite, long ManagedBytes, double LimitSeconds = 0);
