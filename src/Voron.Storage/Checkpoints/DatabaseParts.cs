using Voron.Storage.Commits;
using Voron.Storage.Journal;
using Voron.Storage.Pages;
using Voron.Storage.Transactions;
using Voron.Storage.Versions;

namespace Voron.Storage.Checkpoints;

/// <summary>
/// The parts of an open database, put together once at open; whoever needs some of them takes those out in its constructor.
/// </summary>
internal sealed record DatabaseParts
{
    internal required JournalFiles Files { get; init; }

    internal required DataFile File { get; init; }

    internal required HeaderWriter Header { get; init; }

    /// <summary>Maps of page chunks; in a read-only open they stand for pages of the data file until it is closed.</summary>
    internal required MappedImages Images { get; init; }

    internal required PageSource Source { get; init; }

    internal required VersionTable Versions { get; init; }

    internal required ReclaimQueue Reclaim { get; init; }

    internal required ReaderTable Readers { get; init; }

    internal required PageWriter Pages { get; init; }

    internal required PlacedRuns Placed { get; init; }

    internal required CommitPipeline Pipeline { get; init; }

    internal required WriteSession Session { get; init; }

    internal required CommitJournal Commits { get; init; }

    internal required PageJournal Batches { get; init; }

    /// <summary>Where a replay could already use it.</summary>
    internal MemorySupply? Supply { get; init; }
}
