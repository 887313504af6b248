using Voron.Storage.Platform;

namespace Voron.Storage.Journal;

/// <summary>
/// Threads to wake after a write, when the journal's gate is left: waking takes long, and whoever is woken wants the gate. First the one
/// that writes the next batch, for the device idles until then.
/// </summary>
/// <param name="OneOfNext">One of those who wait for the next batch, to write it.</param>
/// <param name="All">All that waited for the batch written.</param>
/// <param name="AllOfNext">All that wait for the next batch, which nobody will write.</param>
internal readonly record struct WakeUps(WaitWord? OneOfNext = null, WaitWord? All = null, WaitWord? AllOfNext = null)
{
    internal void Wake()
    {
        OneOfNext?.WakeOne();
        All?.WakeAll();
        AllOfNext?.WakeAll();
    }
}
