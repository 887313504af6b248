namespace Voron.Storage;

/// <summary>
/// Decides which of the engine's threads runs next. In production there is none, and threads run as the system lets them; a test that
/// explores schedules passes one, lets a single thread run at a time and hands on at these calls. Everything in the engine that can block
/// sleeps here, so the scheduler knows which threads can run; when all of them sleep, that is a deadlock.
/// </summary>
internal interface ITurns
{
    /// <summary>Another thread may run before the caller goes on.</summary>
    void Pass(TurnPoint point);

    /// <summary>
    /// The caller runs no more until <see cref="Wake"/> of the same object, or until its time is over: then false. It looks again at what
    /// it waits for, because others may have run before it.
    /// </summary>
    bool Sleep(object on, TurnPoint point, TimeSpan timeout);

    /// <summary>All that sleep on the object may run again; the caller goes on.</summary>
    void Wake(object on);

    /// <summary>Starts a thread of the engine, and gives the way to wait for its end.</summary>
    Action Start(string name, Action run);
}
