using Voron.Storage.Rescue;

namespace Voron.Storage;

/// <summary>Tells what the pages of a database are used for: for pictures and tools; applications do not need it.</summary>
public static class StorageSpace
{
    /// <summary>
    /// Reads what the newest snapshot uses each page for. Every node of every tree is read once, and no long value.
    /// </summary>
    /// <param name="environment">The open database, which may be read-only.</param>
    /// <param name="onRun">
    /// Called for runs of pages with one use, in no order; each page up to <see cref="SpaceReport.Pages"/> is in one of them. May be null.
    /// It runs inside a read transaction, and should be quick.
    /// </param>
    /// <param name="cancellationToken">Ends the reading.</param>
    /// <exception cref="StorageCorruptException">A page in use is damaged; <see cref="StorageEnvironment.Check(IProgress{double}?,
    /// CancellationToken)"/> names all of them.</exception>
    /// <exception cref="OperationCanceledException">The reading was cancelled.</exception>
    public static SpaceReport Read(
        StorageEnvironment environment, Action<PageRun>? onRun = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(environment);
        return SpaceSurvey.Run(environment.Database, onRun, cancellationToken);
    }
}
