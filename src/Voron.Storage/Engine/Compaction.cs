using Voron.Storage.Checkpoints;
using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Threads;
using Voron.Storage.Transactions;
using Voron.Storage.Trees;
using Voron.Storage.Versions;

namespace Voron.Storage.Engine;

/// <summary>
/// Shortens the data file beside readers and writers. It goes through the trees in passes, and moves what lies behind the goal to free
/// pages before it, in transactions of bounded size that change no content; a checkpoint then finds the end of the file free and cuts it.
/// <para>It keeps nothing on disk of its own: killed at any moment, it has done less, and is begun anew.</para>
/// </summary>
internal sealed class Compaction
{
    /// <summary>Merging makes pages free, and with them the goal comes nearer, so one pass is not enough.</summary>
    private const int MostPasses = 4;

    /// <summary>Checkpoints that try to cut the file after the last pass: one that meets a writer leaves its end alone.</summary>
    private const int MostCuts = 8;

    /// <summary>Leaves that one read transaction looks at, so that it holds back little.</summary>
    private const int LeavesInOneLook = 2048;

    /// <summary>Leaves that one transaction reads for each page that it may move.</summary>
    private const int LeavesForPage = 2;

    /// <summary>Pending entries that one transaction merges for each page that it may move: most go to few leaves.</summary>
    private const int EntriesForPage = 4;

    /// <summary>How often a step rests for writers that wait; with writers that come without end it must go on some time.</summary>
    private const int MostRests = 8;

    private static readonly TimeSpan CutRest = TimeSpan.FromMilliseconds(2);
    private static readonly TimeSpan WriterRest = TimeSpan.FromMilliseconds(1);

    private readonly Database _database;
    private readonly DatabaseParts _parts;
    private readonly CompactOptions _options;
    private readonly IProgress<double>? _progress;
    private readonly CancellationToken _cancellation;
    private readonly int _pageBytes;
    private readonly byte[] _key;
    private readonly byte[] _ahead;
    private MoveBounds _bounds;
    private long _moved;
    private long _merged;

    private Compaction(Database database, CompactOptions options, IProgress<double>? progress, CancellationToken cancellation)
    {
        _database = database;
        _parts = database.Parts;
        _options = options;
        _progress = progress;
        _cancellation = cancellation;
        _pageBytes = _parts.Source.PageBytes;
        _key = new byte[TreeWriter.MaxKeyBytesOf(_pageBytes)];
        _ahead = new byte[_key.Length];
        int pages = Math.Max(1, options.BytesPerTransaction / _pageBytes);
        _bounds = new MoveBounds(default, pages, pages * LeavesForPage, TransactionId.None, () => _parts.Outside.Any);
    }

    private DataFile File => _parts.File;

    /// <summary>Compacts on the calling thread.</summary>
    internal static CompactReport Run(
        Database database, CompactOptions options, IProgress<double>? progress, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        database.ThrowIfNotWritable();
        Compaction compaction = new(database, options, progress, cancellation);
        if (!compaction.File.TryBeginCompacting())
        {
            Throw.AlreadyCompacting(compaction.File.Path);
        }

        try
        {
            return compaction.Run();
        }
        finally
        {
            compaction.File.CompactBytes = 0;
        }
    }

    private CompactReport Run()
    {
        long before = File.Bytes;
        MergePending();

        // Large values are moved only if the snapshot on disk has them.
        _database.Checkpoint(isHasty: false);
        long used = SetGoal();
        for (int pass = 0; pass < MostPasses; pass++)
        {
            long done = _moved + _merged;
            MoveTrees(pass);
            _database.Checkpoint(isHasty: false);
            used = SetGoal();
            if (_moved + _merged == done || (pass > 0 && IsShort))
            {
                break;
            }
        }

        Cut();
        _progress?.Report(1);
        return new CompactReport(_moved, _merged, used * _pageBytes, before, File.Bytes);
    }

    /// <summary>
    /// Merges what was pending at the beginning: leaves whose deletions are pending would be moved as if they were full.
    /// </summary>
    private void MergePending()
    {
        TransactionId last = _parts.Pipeline.LastSealed;
        bool hasMore = true;
        while (hasMore)
        {
            _cancellation.ThrowIfCancellationRequested();
            Commit(session =>
            {
                hasMore = session.Pending.HasUpTo(last) && session.Pending.MergeOrEnd(_bounds.MostPages * EntriesForPage);
                return hasMore;
            });
        }
    }

    /// <summary>Whether the snapshot on disk has nothing behind the goal.</summary>
    private bool IsShort => _database.UsedOnDisk.EndPage <= _bounds.Goal;

    /// <summary>Sets where the file is to end by what is in use now; returns how many pages that is.</summary>
    private long SetGoal()
    {
        long groups = _database.UsedOnDisk.Groups;
        long used = Read(slot => UsedPages.Load(slot.Source, groups, slot.Snapshot).Count);
        PageNumber goal = new((long)Math.Ceiling(used * (1 + _options.LeaveFreeShare)));
        _bounds = _bounds with { Goal = goal };
        File.CompactBytes = goal.ByteOffset(_pageBytes);
        return used;
    }

    private void MoveTrees(int pass)
    {
        List<(byte[] Name, long Entries)> trees = Read(ListTrees);
        double all = trees.Sum(static tree => tree.Entries);
        double before = 0;
        foreach ((byte[] name, long entries) in trees)
        {
            MoveTree(name, part => Report(pass, (before + (part * entries)) / all));
            before += entries;
        }
    }

    /// <summary>All trees, and first the catalog, which has no name. Empty ones count as well.</summary>
    private static List<(byte[] Name, long Entries)> ListTrees(ReaderSlot slot)
    {
        List<byte[]> names = TreeName.ListAll(slot.Source, slot.Snapshot);
        List<(byte[] Name, long Entries)> trees = [([], names.Count + 1)];
        foreach (byte[] name in names)
        {
            Catalog.TryFind(slot.Source, slot.Snapshot, name, out TreeRecord record);
            trees.Add((name, record.EntryCount + 1));
        }

        return trees;
    }

    private void MoveTree(byte[] name, Action<double> report)
    {
        int keyBytes = 0;
        bool hasMore = true;
        bool isFirst = true;
        while (hasMore)
        {
            _cancellation.ThrowIfCancellationRequested();
            Look look = Read(slot => Find(slot, name, keyBytes, isFirst));
            report(look.Part);
            keyBytes = look.KeyBytes;
            hasMore = look.IsDue ? Step(name, ref keyBytes) : keyBytes > 0;
            isFirst = false;
        }
    }

    /// <summary>Looks for the next leaf with work; the first look at a tree finds its root as well.</summary>
    private Look Find(ReaderSlot slot, byte[] name, int keyBytes, bool isFirst)
    {
        PageNumber root = FormatConstants.CatalogRootPage;
        if (name.Length > 0)
        {
            if (!Catalog.TryFind(slot.Source, slot.Snapshot, name, out TreeRecord record))
            {
                return default;
            }

            root = record.RootPage;
        }

        double part = 0;
        bool isDue = isFirst && name.Length > 0 && _bounds.IsBeyond(root);
        isDue = isDue || MoveSearch.TryFind(
            slot.Source, slot.Snapshot, root, _key.AsSpan(0, keyBytes), _bounds, LeavesInOneLook, _key, out keyBytes, out part);
        if (isDue)
        {
            MoveSearch.ReadAhead(slot.Source, slot.Snapshot, root, _key.AsSpan(0, keyBytes), _bounds, _ahead);
        }

        return new Look(isDue, keyBytes, part);
    }

    /// <summary>Moves pages in one transaction, from a key on up to the one to go on with; returns whether there is more.</summary>
    private bool Step(byte[] name, ref int keyBytes)
    {
        int fromBytes = keyBytes;
        long began = _database.Options.TimeProvider.GetTimestamp();
        MoveResult result = default;
        Commit(session =>
        {
            result = session.Moves.Some(name, _key.AsSpan(0, fromBytes), _bounds with { LastPlacedBy = LastPlacedBy }, _key);
            return result.Moved + result.Merged > 0;
        });
        _moved += result.Moved;
        _merged += result.Merged;
        Rest(began, (result.Moved + result.Merged) * (long)_pageBytes);
        keyBytes = result.NextBytes;
        return result.HasMore;
    }

    /// <summary>What a position that is kept has not passed stays where its record says.</summary>
    private TransactionId LastPlacedBy => _database.Kept?.Oldest ?? TransactionId.AfterAll;

    /// <summary>
    /// Runs an action in a transaction that is committed, with an empty record, if the action says that it has changed pages.
    /// </summary>
    private void Commit(Func<WriteSession, bool> change)
    {
        if (_database.IsMemoryFull)
        {
            // Otherwise the next writer would wait for this checkpoint with the writer lock held.
            _database.Checkpoint(isHasty: false);
        }

        for (int i = 0; i < MostRests && _parts.Pipeline.Lock.HasWaiters; i++)
        {
            EngineThread.Rest(WriterRest);
        }

        WriteHandle lease = _database.BeginWrite(Timeout.InfiniteTimeSpan)!;
        WriteSession session = lease.Session;
        long generation = session.Generation;
        bool isSealed = false;
        try
        {
            if (change(session))
            {
                session.Redo.SealsEmpty = true;
                session.Seal(lease, generation, CommitMode.Lazy);
                isSealed = true;
            }
        }
        finally
        {
            if (!isSealed)
            {
                session.Rollback(lease, generation);
            }
        }

        if (isSealed)
        {
            _database.Complete(default, CommitMode.Lazy);
        }
    }

    /// <summary>
    /// Has the file cut. A checkpoint can only do it while no writer holds the lock, and only if there is something to write.
    /// </summary>
    private void Cut()
    {
        for (int i = 0; i < MostCuts && IsShort && !_parts.Outside.Any && File.BytesToKeep(_database.UsedOnDisk.EndPage) is not null; i++)
        {
            _cancellation.ThrowIfCancellationRequested();
            EngineThread.Rest(CutRest);
            Commit(static _ => true);
            _database.Checkpoint(isHasty: false);
        }
    }

    private void Rest(long began, long bytes)
    {
        if (_options.BytesPerSecond == 0)
        {
            return;
        }

        TimeSpan due = TimeSpan.FromSeconds(bytes / (double)_options.BytesPerSecond)
            - _database.Options.TimeProvider.GetElapsedTime(began);
        if (due >= TimeSpan.FromMilliseconds(1))
        {
            EngineThread.Rest(due);
        }
    }

    /// <summary>Each pass counts for half of what is left: whether there will be another one is not known.</summary>
    private void Report(int pass, double part) => _progress?.Report(1 - ((1 - (part / 2)) / (1 << pass)));

    private T Read<T>(Func<ReaderSlot, T> read)
    {
        ReaderSlot slot = _database.BeginRead();
        long occupant = slot.Occupant;
        try
        {
            return read(slot);
        }
        finally
        {
            slot.Release(occupant);
        }
    }

    /// <param name="IsDue">Whether there is something to do.</param>
    /// <param name="KeyBytes">Length of the key that leads to it or, if there is none yet, with which the search goes on.</param>
    /// <param name="Part">The part of the tree before that key.</param>
    private readonly record struct Look(bool IsDue, int KeyBytes, double Part);
}
