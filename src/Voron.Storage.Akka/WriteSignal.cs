using System.Runtime.CompilerServices;

namespace Voron.Storage.Akka;

/// <summary>
/// Tells live queries that something was committed. Only one process writes to a database, so the journals of this one are all there are,
/// even if several actor systems share an environment.
/// </summary>
internal sealed class WriteSignal
{
    private static readonly ConditionalWeakTable<StorageEnvironment, WriteSignal> Signals = [];

    internal event Action? Written;

    internal static WriteSignal Of(StorageEnvironment environment) => Signals.GetValue(environment, static _ => new WriteSignal());

    internal void Raise() => Written?.Invoke();
}
