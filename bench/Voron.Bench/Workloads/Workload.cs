namespace Voron.Bench.Workloads;

/// <summary>One row of the peers: the same data and steps for each engine.</summary>
/// <param name="Name">The row's name.</param>
/// <param name="Step">What is timed.</param>
/// <param name="Transactions">How many, all threads together.</param>
/// <param name="PerTransaction">Operations of each.</param>
internal sealed record Workload(string Name, WorkStep Step, int Transactions, int PerTransaction)
{
    public KeyOrder Order { get; init; }

    public int ValueBytes { get; init; } = DataSet.ValueBytes;

    /// <summary>Items that are there before the clock starts.</summary>
    public int Prefilled { get; init; }

    public int Threads { get; init; } = 1;

    /// <summary>Whether ours is measured with asynchronous commits as well.</summary>
    public bool HasAsync { get; init; }

    /// <summary>Whether slow peers run all transactions as well, for as long as a round may take.</summary>
    public bool IsWhole { get; init; }

    /// <summary>Whether one transaction holds everything, so that a slow one cannot end early.</summary>
    internal bool IsOneTransaction => Transactions == 1;

    /// <summary>Puts of a transaction: a mixed one reads the rest.</summary>
    internal int PutsPerTransaction => Step == WorkStep.Mixed ? PerTransaction / 4 : PerTransaction;

    /// <summary>Items that the data must have.</summary>
    internal int Items => Step switch
    {
        WorkStep.Fill or WorkStep.Mixed => Prefilled + (Transactions * PutsPerTransaction),
        _ => Prefilled,
    };
}
