using Voron.Storage.Threads;

namespace Voron.Storage.Engine;

/// <summary>The only place that calls the user's event callback.</summary>
internal static class EventCallback
{
    /// <summary>Whether there is a callback, and so a use for work that only serves it.</summary>
    internal static bool HasListener(this StorageOptions options) => options.OnEvent is not null;

    /// <summary>
    /// Calls the callback, if there is one, in the default execution context, because the current thread may work for any caller. Its
    /// exceptions are discarded: it may run on a thread of the engine, which must not end because of it, or in the middle of an operation
    /// that must not fail.
    /// </summary>
    internal static void Report(this StorageOptions options, StorageEventKind kind, string message, Exception? error = null)
    {
        if (options.OnEvent is not { } callback)
        {
            return;
        }

        StorageEvent report = new(kind, message, error);
        try
        {
            EngineThread.RunDetached(_ => callback(report), report);
        }
        catch (Exception)
        {
            // There is no other way to report it.
        }
    }
}
