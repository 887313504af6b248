namespace Voron.Storage.Threads;

/// <summary>
/// A deterministic scheduler: it lets a single thread run at a time and switches at these calls. Everything in the engine that can block
/// sleeps here, so the scheduler knows which threads can run; when all of them sleep, that is a deadlock.
/// </summary>
internal interface IScheduler
{
    /// <summary>Another thread may run before the caller continues.</summary>
    void Pass(SchedulingPoint point);

    /// <summary>
    /// Suspends the caller until <see cref="Wake"/> of the same object, or until the timeout expires: then it returns false. The caller
    /// checks its condition again, because other threads may have run before it.
    /// </summary>
    bool Sleep(object on, SchedulingPoint point, TimeSpan timeout);

    /// <summary>Makes all threads that sleep on the object runnable; the caller continues.</summary>
    void Wake(object on);

    /// <summary>Starts a thread of the engine and returns the action that waits for its end.</summary>
    Action Start(string name, Action run);
}
