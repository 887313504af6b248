namespace Voron.Bench.Workloads;

/// <summary>What the timed part of a workload does in each transaction.</summary>
internal enum WorkStep
{
    /// <summary>Puts items that are not there.</summary>
    Fill,

    /// <summary>Puts other values under keys that are there, without order.</summary>
    Overwrite,

    /// <summary>Deletes items, without order.</summary>
    Delete,

    /// <summary>A quarter puts of new items in a transaction, then three quarters gets of others.</summary>
    Mixed,
}
