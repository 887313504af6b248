namespace Voron.Storage.Engine;

/// <summary>The way to the user's event callback.</summary>
internal static class EventDoor
{
    /// <summary>
    /// Tells the user, if he wants to know. What his callback throws goes no further: it may run on a thread of the engine, which must not
    /// end for it, or in the middle of something that must not fail.
    /// </summary>
    internal static void Report(this StorageOptions options, StorageEventKind kind, string message, Exception? error = null)
    {
        try
        {
            options.OnEvent?.Invoke(new StorageEvent(kind, message, error));
        }
        catch (Exception)
        {
            // Nobody is left to tell.
        }
    }
}
