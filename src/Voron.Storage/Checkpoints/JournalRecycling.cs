using Voron.Storage.Commits;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Threads;
using Voron.Storage.Versions;

namespace Voron.Storage.Checkpoints;

/// <summary>Recycles the chunks of both journals that neither recovery nor the open environment needs after a checkpoint.</summary>
internal sealed class JournalRecycling(VersionTable versions, PageJournal imageJournal, CommitJournal commits)
{
    private readonly HashSet<long> _needed = [];

    /// <summary>
    /// Recycles what this checkpoint, the newest one, makes unnecessary: of the commit journal the chunks before a position. Returns the
    /// reason if a file could not be removed.
    /// </summary>
    internal StorageException? Run(CheckpointBase newest, JournalPosition firstNeeded, BackgroundPace? pace)
    {
        _needed.Clear();
        _needed.Add(newest.ImageSet.Sequence);
        _needed.Add(newest.NextSet.Sequence);
        newest.Deferred.AddChunks(_needed);
        using (versions.Gate.Hold())
        {
            versions.Chunks.DropUnused(_needed);
        }

        StorageException? refusal = imageJournal.Recycle(newest.ImageSet.Sequence, _needed, pace);
        return commits.Recycle(firstNeeded, pace) ?? refusal;
    }
}
