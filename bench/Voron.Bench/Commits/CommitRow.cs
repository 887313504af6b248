using Voron.Storage;

namespace Voron.Bench.Commits;

/// <summary>One row of the verb commits, and its rounds.</summary>
/// <param name="Name">What it is called.</param>
/// <param name="Kind">How transactions are committed.</param>
/// <param name="Callers">Threads or tasks.</param>
/// <param name="Puts">Puts of each transaction.</param>
/// <param name="Transactions">All of them together.</param>
/// <param name="Goal">What it has to reach.</param>
internal sealed record CommitRow(string Name, CommitKind Kind, int Callers, int Puts, int Transactions, string Goal)
{
    internal List<CommitRound> Rounds { get; } = [];

    /// <summary>The write that each transaction would need alone.</summary>
    internal int LimitWriteBytes => Puts == 1 ? 4096 : RawLimit.HeadlineWriteBytes;

    internal double TransactionsPerSecond => Spread.Of(Rounds.Select(round => Transactions / round.Seconds)).Median;

    /// <summary>Against the device writing one transaction after the other, at the same moment.</summary>
    internal double OfLimit => Spread.Of(Rounds.Select(round => round.LimitSeconds * Transactions / round.Seconds)).Median;

    /// <summary>Transactions a write.</summary>
    internal double Group => Spread.Of(Rounds.Select(static round => round.CommitsPerWrite)).Median;

    internal static IEnumerable<CommitRow> All(int transactions) =>
    [
        new("headline async, at most 64 un-acked", CommitKind.Async, 1, 100, transactions, "(≥ 1.0 of the limit, goal 2.0)"),
        new("one caller, one put", CommitKind.OneCaller, 1, 1, transactions, "(≥ 0.75 of the limit, goal 0.9)"),
        new("4 callers, one put", CommitKind.Callers, 4, 1, transactions, "(≥ 1.7 × one caller)"),
        new("16 callers, one put", CommitKind.Callers, 16, 1, transactions, "(≥ 6 × one caller, goal 8)"),
        new("16 callers, 100 puts", CommitKind.Callers, 16, 100, transactions, "(≥ 0.65 of the limit, goal 0.9)"),
        new("lazy, one put", CommitKind.Lazy, 1, 1, transactions * 10, "(≥ 500,000 tx/s)"),
        new("WriteAsync from 64 tasks, one put", CommitKind.Shared, 64, 1, transactions * 4, "(≥ 20 × one caller, goal 30)"),
    ];

    internal Row ToRow() => Row.Timed(
        Name,
        Peers.OurStore.Name,
        Kind == CommitKind.Lazy ? "lazy" : "sync",
        Transactions,
        Rounds.Select(static round => round.Seconds)) with
    {
        RatioToLimit = OfLimit,
        WritesPerCommit = 1 / Group,
        ManagedBytesPerItem = Spread.Of(Rounds.Select(round => (double)round.ManagedBytes / Transactions)).Median,
    };

    /// <summary>What a transaction promises when its caller goes on.</summary>
    internal CommitMode Mode => Kind == CommitKind.Lazy ? CommitMode.Lazy : CommitMode.Durable;
}
