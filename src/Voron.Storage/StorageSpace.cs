using Voron.Storage.Engine;
using Voron.Storage.Threads;
using Voron.Storage.Rescue;

namespace Voron.Storage;

/// <summary>The space that a database uses: what its pages are for, and how the file gets shorter.</summary>
public static class StorageSpace
{
    /// <summary>
    /// Shortens the data file to little more than what is in use, beside readers and writers: moves what lies at its end to free pages
    /// before, in transactions of bounded size, merges neighbouring leaves that fit in one page, and has checkpoints cut the end. It
    /// changes no content, so it shows in no feed of changes. Ended at any moment, also by a kill, it has only done less.
    /// </summary>
    /// <param name="environment">The open database.</param>
    /// <param name="options">Settings; null for the defaults.</param>
    /// <param name="progress">Receives the part that is done, about, from 0 to 1; it only grows.</param>
    /// <param name="cancellationToken">Ends it between two transactions; what was moved stays where it is.</param>
    /// <exception cref="ArgumentOutOfRangeException">A setting is out of range.</exception>
    /// <exception cref="InvalidOperationException">The database is being compacted already.</exception>
    /// <exception cref="StorageReadOnlyException">The environment is read-only or a follower.</exception>
    /// <exception cref="StorageCorruptException">A page on the way is damaged; what was moved before stays where it is.</exception>
    /// <exception cref="StorageFullException">A checkpoint found no space on the disk.</exception>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    public static ValueTask<CompactReport> CompactAsync(
        this StorageEnvironment environment,
        CompactOptions? options = null,
        IProgress<double>? progress = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(environment);
        options ??= new CompactOptions();
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(options.BytesPerTransaction, nameof(options));
        ArgumentOutOfRangeException.ThrowIfNegative(options.BytesPerSecond, nameof(options));
        if (options.LeaveFreeShare is not (>= 0 and <= 1))
        {
            throw new ArgumentOutOfRangeException(nameof(options), options.LeaveFreeShare, "LeaveFreeShare is from 0 to 1.");
        }

        Database database = environment.Database;
        return EngineThread.RunAside(() => Compaction.Run(database, options, progress, cancellationToken), ThreadRank.Ordinary);
    }

    /// <summary>
    /// Reads what the newest snapshot uses each page for. For pictures and tools; applications do not need it. Every node of every tree
    /// is read once, and no long value.
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
