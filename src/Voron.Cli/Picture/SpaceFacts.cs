using Voron.Storage;

namespace Voron.Cli.Picture;

/// <summary>What the pictures show: the uses of pages, the cells of the map, the journal and what an open replays of it.</summary>
internal sealed class SpaceFacts
{
    private readonly Dictionary<string, long> _replayBytes = new(StringComparer.Ordinal);
    private readonly HashSet<long> _replayed = [];

    private SpaceFacts(string folder, SpaceReport space, EnvironmentReport sizes, SpaceCells cells)
    {
        Folder = folder;
        Space = space;
        Sizes = sizes;
        Cells = cells;
    }

    internal string Folder { get; }

    internal SpaceReport Space { get; }

    internal EnvironmentReport Sizes { get; }

    internal SpaceCells Cells { get; }

    internal JournalReport Journal { get; private set; } = new([], []);

    /// <summary>Records after the last transaction of the newest checkpoint.</summary>
    internal long ReplayRecords { get; private set; }

    internal long ReplayBytes { get; private set; }

    internal long ReplayTransactions => _replayed.Count;

    internal static SpaceFacts Read(string folder, StorageEnvironment environment, CancellationToken stop)
    {
        EnvironmentReport sizes = environment.GetReport();
        SpaceCells cells = new(Math.Max(1, sizes.DataFileBytes / sizes.PageBytes));
        SpaceReport space = StorageSpace.Read(environment, cells.Add, stop);
        SpaceFacts facts = new(folder, space, sizes, cells);
        facts.Journal = StorageInspection.ReadJournal(folder, facts.Note, stop);
        return facts;
    }

    /// <summary>Bytes of the records in a chunk that an open replays.</summary>
    internal long ReplayBytesIn(ChunkReport chunk) => _replayBytes.GetValueOrDefault(chunk.File);

    private void Note(JournalRecord record)
    {
        if (record.TransactionId > Sizes.CheckpointTransactionId)
        {
            _replayBytes[record.File] = _replayBytes.GetValueOrDefault(record.File) + record.BodyBytes;
            _replayed.Add(record.TransactionId);
            ReplayRecords++;
            ReplayBytes += record.BodyBytes;
        }
    }
}
