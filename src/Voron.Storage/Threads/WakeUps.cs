namespace Voron.Storage.Threads;

/// <summary>
/// Threads to wake after a write, once the journal's gate is left: waking is slow, and a woken thread needs the gate. The thread that
/// writes the next group comes first, because the device is idle until then.
/// </summary>
/// <param name="OneOfNext">The word of the next group's waiters: wakes one of them, to write the group.</param>
/// <param name="All">The word of the written group's waiters: wakes all of them.</param>
/// <param name="AllOfNext">The word of the next group's waiters: wakes all of them, because the group will never be written.</param>
internal readonly record struct WakeUps(WaitWord? OneOfNext = null, WaitWord? All = null, WaitWord? AllOfNext = null)
{
    internal void Wake()
    {
        OneOfNext?.WakeOne();
        All?.WakeAll();
        AllOfNext?.WakeAll();
    }
}
