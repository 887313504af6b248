namespace Voron.Storage.Engine;

/// <summary>What a failure means at the point that a checkpoint has reached.</summary>
internal enum CheckpointFailure
{
    /// <summary>Nothing that recovery or readers rely on was touched: the next checkpoint begins anew.</summary>
    LeavesAllAsItWas,

    /// <summary>The same when the disk was full; anything else may have lost what was written before.</summary>
    LeavesAllAsItWasWhenFull,

    /// <summary>Nobody knows what is on the device: nothing more is committed until the database is reopened.</summary>
    Poisons,
}
