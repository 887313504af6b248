namespace Voron.Simulation.Fuzz;

/// <summary>What must hold of the rows that a damaged file set gives out; more damages together are as bad as the worst.</summary>
internal enum FuzzTrust
{
    /// <summary>Exactly the content of the transaction that was recovered to, or a report of damage.</summary>
    Exact,

    /// <summary>
    /// Sound pages or files of an older state of the same database were put in. What is read passes every check there is and may be of
    /// several moments. A short value stands beside its key and was committed with it. A long one stands in a run that its key only names
    /// with the length: the run may be of another moment, and then of another key.
    /// </summary>
    Mixed,

    /// <summary>
    /// Pages of another database with the same number, or forged ones: sound, and nothing tells what they should hold. Also when all slots
    /// are lost but one of another database, and when the head of the newest image set is lost with the slot that names it: the journal is
    /// then applied to trees of two moments.
    /// </summary>
    Nothing,
}
