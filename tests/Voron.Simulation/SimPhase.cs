namespace Voron.Simulation;

/// <summary>How far a call has come when a watcher sees it.</summary>
internal enum SimPhase
{
    Before,

    /// <summary>Half of the sectors of a write are in the volatile content.</summary>
    Inside,

    /// <summary>All sectors of a write-through write are issued and none of them is promised yet.</summary>
    Issued,

    After,
}
