namespace Voron.Storage.Threads;

/// <summary>Where a thread of the engine is when another one may run.</summary>
internal enum SchedulingPoint
{
    /// <summary>Before a lock is taken.</summary>
    Enter,

    /// <summary>After a lock was released.</summary>
    Leave,

    /// <summary>Waiting for a condition or a signal.</summary>
    Wait,

    /// <summary>After a signal, or after waiters were woken.</summary>
    Signal,

    /// <summary>While a background thread sleeps.</summary>
    Rest,

    /// <summary>Around the store that makes a transaction visible.</summary>
    Publish,

    /// <summary>Between the steps of registering or releasing a reader.</summary>
    Register,

    /// <summary>Between reading the visible snapshot and collecting the readers.</summary>
    Reclaim,

    /// <summary>While a chain of page versions is walked.</summary>
    Lookup,

    /// <summary>Between the steps that link, unlink or change a page version, and before a reader starts again at the head.</summary>
    Chain,

    /// <summary>Around a disk call.</summary>
    Disk,

    /// <summary>In the code that calls the engine.</summary>
    Caller,
}
