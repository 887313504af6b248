using Voron.Storage.Commits;
using Voron.Storage.Journal;
using Voron.Storage.Pages;
using Voron.Storage.Transactions;
using Voron.Storage.Versions;

namespace Voron.Storage.Checkpoints;

/// <summary>The parts of an open database, assembled once at open. A constructor takes out the ones it needs.</summary>
internal sealed record DatabaseParts
{
    internal required JournalFiles Files { get; init; }

    internal required DataFile File { get; init; }

    internal required HeaderWriter Header { get; init; }

    /// <summary>Maps of page chunks. In a read-only open they replace pages of the data file until it is closed.</summary>
    internal required MappedImages Images { get; init; }

    internal required PageSource Source { get; init; }

    internal required VersionTable Versions { get; init; }

    internal required ReclaimQueue Reclaim { get; init; }

    internal required ReaderTable Readers { get; init; }

    internal required PageWriter Pages { get; init; }

    internal required PlacedRuns Placed { get; init; }

    internal required OutsideReaders Outside { get; init; }

    internal required CommitPipeline Pipeline { get; init; }

    internal required WriteSession Session { get; init; }

    internal required CommitJournal Commits { get; init; }

    internal required PageJournal ImageJournal { get; init; }

    /// <summary>Null where no memory is prepared in the background; replay may use it already.</summary>
    internal MemorySupply? Supply { get; init; }

    internal void CloseFiles()
    {
        Commits.Dispose();
        ImageJournal.Dispose();
        Images.Dispose();
        File.Dispose();
    }
}
