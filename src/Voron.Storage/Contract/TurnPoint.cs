namespace Voron.Storage;

/// <summary>Where a thread of the engine stands when another one may run.</summary>
internal enum TurnPoint
{
    /// <summary>Before a lock is taken.</summary>
    Enter,

    /// <summary>After a lock was left.</summary>
    Leave,

    /// <summary>Waiting for a condition or a signal.</summary>
    Wait,

    /// <summary>After a signal or a wake-up of waiters.</summary>
    Signal,

    /// <summary>A rest of a background thread.</summary>
    Rest,

    /// <summary>Around the store that makes a transaction visible.</summary>
    Publish,

    /// <summary>Between the steps of a reader's registration or release.</summary>
    Register,

    /// <summary>Between reading the visible snapshot and collecting the readers.</summary>
    Reclaim,

    /// <summary>On the way along a chain of page versions.</summary>
    Lookup,

    /// <summary>Between the steps that link, unlink or change a page version, and before a reader starts again at the head.</summary>
    Chain,

    /// <summary>Around a call of the disk.</summary>
    Disk,

    /// <summary>In a test's own code.</summary>
    Caller,
}
