namespace Voron.Storage.IO;

/// <summary>
/// The fail-stop latch. After the first failed write or sync whose outcome is unknown, nothing more is committed; reads continue. The
/// first error is kept.
/// </summary>
internal sealed class FailStop
{
    private Exception? _first;

    internal Exception? FirstError => Volatile.Read(ref _first);

    internal bool IsPoisoned => Volatile.Read(ref _first) is not null;

    internal void Poison(Exception error) => Interlocked.CompareExchange(ref _first, error, null);

    internal void ThrowIfPoisoned()
    {
        if (Volatile.Read(ref _first) is { } first)
        {
            throw new StoragePoisonedException(
                "An earlier write or sync failed, so this environment commits nothing more; reads go on. "
                + "Dispose it and open the database again: what was acknowledged is recovered. First error: " + first.Message,
                first);
        }
    }
}
