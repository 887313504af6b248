namespace Voron.Simulation.Crashes;

/// <summary>The alphabet of workloads; all short words over it are tried, and random long ones.</summary>
internal enum WorkloadLetter
{
    PutSmall,
    PutOverflow,
    Delete,
    Update,
    BigTransaction,
    EmptyTransaction,
    Rollback,
    OpenReader,
    CloseReader,
    Checkpoint,

    /// <summary>Several transactions sealed one after another and then written together.</summary>
    Group,
    Reopen,
}
