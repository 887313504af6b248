using System.Diagnostics.CodeAnalysis;

namespace Voron.Storage.Threads;

/// <summary>The exceptions of threads and waiting.</summary>
internal static class Throw
{
    [DoesNotReturn]
    internal static void NotHeld() =>
        throw new InvalidOperationException("Only a thread that holds the gate may do this, and the calling thread does not hold it.");

    [DoesNotReturn]
    internal static void NoScheduling() =>
        throw new InvalidOperationException("Set the switch Voron.Storage.Scheduling of this program to use a scheduler.");

    [DoesNotReturn]
    internal static void NoThread() => throw new InsufficientMemoryException(
        "The system gives this process no more threads. Nothing was changed by this request; end some, or raise the limit, and try again.");
}
