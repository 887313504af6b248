namespace Voron.Simulation.Crashes;

/// <summary>How much of what a run could leave is tried.</summary>
internal sealed record CrashOptions
{
    /// <summary>The test that runs it, for the command that repeats a failure.</summary>
    internal string Test { get; init; } = string.Empty;

    internal SimDiskOptions Disk { get; init; } = new();

    /// <summary>One crash point in so many is looked at.</summary>
    internal int PointOneIn { get; init; } = 1;

    /// <summary>One crash point in so many of the first open, when nothing can be lost yet, is looked at.</summary>
    internal int FirstOpenPointOneIn { get; init; } = 1;

    /// <summary>
    /// Points at which a file gets or loses a name come first, so that a budget never leaves them out: there one file begins to need
    /// another.
    /// </summary>
    internal bool NamesFirst { get; init; }

    /// <summary>Beside none and all, one of the enumerated states in so many is tried.</summary>
    internal int StateOneIn { get; init; } = 1;

    /// <summary>All subsets are tried of at most so many atoms.</summary>
    internal int SubsetAtoms { get; init; } = 12;

    /// <summary>All pairs are tried of at most so many atoms.</summary>
    internal int PairAtoms { get; init; } = 24;

    /// <summary>At most so many prefixes, so many dropped and so many kept single atoms.</summary>
    internal int Singles { get; init; } = 256;

    internal int RandomStates { get; init; } = 32;

    /// <summary>Number of states of every moment whose sectors are torn inside.</summary>
    internal int TornStates { get; init; }

    /// <summary>One crash point in so many, and the last one, is also taken for a kill of the process; 0 for the last one only.</summary>
    internal int KillOneIn { get; init; } = 1;

    /// <summary>
    /// A state that shows all that an earlier recovery looked at is opened only once in so many, to see that it recovers as that one did.
    /// </summary>
    internal int EqualOneIn { get; init; } = 16;

    /// <summary>One opened state in so many is recovered twice, and both recoveries must make the same disk calls; 0 for none.</summary>
    internal int TwinOneIn { get; init; } = 16;

    /// <summary>One opened state in so many is cut at every point of its recovery; 0 for none.</summary>
    internal int RecoveryCutOneIn { get; init; } = 16;

    /// <summary>One of the states that a cut inside a recovery left in so many is itself cut at every point of its recovery.</summary>
    internal int NestedCutOneIn { get; init; } = 16;

    /// <summary>At most so many states of one recovery are opened.</summary>
    internal long MostNestedOpens { get; init; } = long.MaxValue;

    /// <summary>One opened state in so many goes on with a workload of its own and all its crash points; 0 for none.</summary>
    internal int GoOnOneIn { get; init; } = 64;

    /// <summary>Damage to header slots, done to every state that was opened whole.</summary>
    internal SlotDamage? Damage { get; init; }

    internal WorkloadOptions GoOnWorkload { get; init; } = new() { Steps = 3 };

    /// <summary>Opened states to stop after, so that one workload cannot eat the budget of the others.</summary>
    internal long MostOpens { get; init; } = long.MaxValue;

    /// <summary>For runs within a run: fewer subsets of fewer points, and no third level.</summary>
    internal CrashOptions Nested => this with
    {
        SubsetAtoms = Math.Min(SubsetAtoms, 5), PairAtoms = 0, Singles = 16, RandomStates = 6, RecoveryCutOneIn = 0, GoOnOneIn = 0,
        Damage = null, MostOpens = MostOpens == long.MaxValue ? MostOpens : MostOpens / 3,
    };
}
