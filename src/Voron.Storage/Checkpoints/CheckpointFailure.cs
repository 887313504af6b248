namespace Voron.Storage.Checkpoints;

/// <summary>The consequence of a failure at the step that a checkpoint has reached.</summary>
internal enum CheckpointFailure
{
    /// <summary>Nothing that recovery or readers rely on was changed: the next checkpoint starts over.</summary>
    LeavesAllAsItWas,

    /// <summary>As <see cref="LeavesAllAsItWas"/> if the disk was full; any other error may have lost earlier writes.</summary>
    LeavesAllAsItWasWhenFull,

    /// <summary>The content of the device is unknown: commits are refused until the database is reopened.</summary>
    Poisons,
}
