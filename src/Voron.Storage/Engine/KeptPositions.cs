using System.Runtime.InteropServices;
using System.Text;
using Voron.Storage.Checkpoints;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Pages;
using Voron.Storage.Threads;
using Voron.Storage.Transactions;
using Voron.Storage.Trees;

namespace Voron.Storage.Engine;

/// <summary>
/// The named positions of consumers that read the changes later: chunks with records after the oldest one are not recycled or cut, and the
/// pages of large values that these records name are not used again. If all that is more than it may be, the oldest position is dropped.
/// Each is an entry of an internal tree; a dropped one leaves it with the next transaction that changes a position.
/// </summary>
internal sealed class KeptPositions
{
    private readonly JournalFiles _files;
    private readonly Func<TransactionId> _newest;
    private readonly Checkpointer _checkpointer;
    private readonly StorageOptions _options;
    private readonly PlacedRuns _placed;
    private readonly Gate _gate;

    /// <summary>The oldest position, for those that do not hold _gate; written under it.</summary>
    private long _oldest;

    /// <summary>Guarded by _gate, like the other collections.</summary>
    private readonly Dictionary<string, TransactionId> _positions = [];
    private readonly HashSet<string> _dropped = [];

    /// <summary>First records of chunks by sequence: they never change.</summary>
    private readonly Dictionary<long, FirstRecord> _firsts = [];

    private KeptPositions(DatabaseParts parts, Checkpointer checkpointer, StorageOptions options)
    {
        _files = parts.Files;
        _newest = () => parts.Pipeline.LastSealed;
        _checkpointer = checkpointer;
        _options = options;
        _placed = parts.Placed;
        _gate = new Gate();
    }

    /// <summary>
    /// Before replay: keeps the large values that the journal names and the newest state may not have, since the positions are not known
    /// yet.
    /// </summary>
    /// <param name="options">Say whether positions are kept at all.</param>
    /// <param name="files">The journal.</param>
    /// <param name="placed">Keeps them.</param>
    /// <param name="onDisk">The snapshot on disk; what was freed after it is freed again by the replay.</param>
    internal static void Prepare(StorageOptions options, JournalFiles files, PlacedRuns placed, TransactionId onDisk)
    {
        if (options.KeepChangesBytes == 0 || options.ReadOnly)
        {
            return;
        }

        placed.Kept.Oldest = static () => TransactionId.None;
        foreach ((TransactionId putBy, PlacedRun run) in NamedRuns.Find(files, TransactionId.None))
        {
            placed.KeepIfFree(run, putBy, onDisk);
        }
    }

    /// <summary>Reads the positions of a recovered database; null if none can be kept.</summary>
    internal static KeptPositions? Load(DatabaseParts parts, Checkpointer checkpointer, StorageOptions options)
    {
        if (options.KeepChangesBytes == 0 || options.ReadOnly)
        {
            return null;
        }

        KeptPositions kept = new(parts, checkpointer, options);
        try
        {
            kept.ReadTree(parts);
        }
        catch (StorageException error) when (error.IsOfDamage)
        {
            options.Report(StorageEventKind.ChangesDropped, $"The kept positions cannot be read: {error.Message}", error);
        }

        kept.NoteOldest();
        parts.Commits.Chunks.FirstKept = kept.FirstKept;
        parts.Placed.Kept.Oldest = () => new TransactionId(Volatile.Read(ref kept._oldest));
        parts.Placed.Kept.Relieve = kept.Relieve;
        parts.Placed.Kept.Commit();
        return kept;
    }

    /// <summary>The position of a name; null if it has none.</summary>
    internal TransactionId? Find(string name)
    {
        using (_gate.Hold())
        {
            return _positions.TryGetValue(name, out TransactionId position) ? position : null;
        }
    }

    /// <summary>What is up to this transaction no position needs; the largest if there is no position.</summary>
    internal TransactionId Oldest
    {
        get
        {
            using (_gate.Hold())
            {
                return _positions.Count == 0 ? TransactionId.AfterAll : _positions.Values.MinBy(static id => id.Value);
            }
        }
    }

    /// <summary>Names that were dropped and are still in the tree.</summary>
    internal List<string> Dropped
    {
        get
        {
            using (_gate.Hold())
            {
                return [.. _dropped];
            }
        }
    }

    /// <summary>
    /// Keeps what is after a position from now on; false if it is not there any more. No checkpoint recycles anything meanwhile.
    /// </summary>
    internal bool TryHold(string name, TransactionId position)
    {
        bool isHeld = false;
        _checkpointer.WithCheckpointsPaused(_ => isHeld = TryHoldPaused(name, position));
        return isHeld;
    }

    private bool TryHoldPaused(string name, TransactionId position)
    {
        using (_gate.Hold())
        {
            if (position < _newest() && FirstSequence(_files.ListChunks(ChunkKind.Commit), position) == 0)
            {
                return false;
            }

            _positions[name] = position;
            NoteOldest();
            return true;
        }
    }

    /// <summary>Keeps what was freed already of the large values that records after a position name. Requires the writer lock.</summary>
    internal void KeepFreed(List<(TransactionId PutBy, PlacedRun Run)> named)
    {
        TransactionId newest = _newest();
        named.ForEach(found => _placed.KeepIfFree(found.Run, found.PutBy, newest));
    }

    /// <summary>Sets a position that is in the tree, or goes back to the one that still is; null removes it.</summary>
    internal void Set(string name, TransactionId? position)
    {
        using (_gate.Hold())
        {
            if (position is { } id)
            {
                _positions[name] = id;
            }
            else
            {
                _positions.Remove(name);
            }

            NoteOldest();
        }
    }

    /// <summary>Notes that a transaction has removed these names from the tree.</summary>
    internal void Forgot(IEnumerable<string> names)
    {
        using (_gate.Hold())
        {
            _dropped.ExceptWith(names);
        }
    }

    /// <summary>
    /// Returns the sequence of the first of these chunks that a position needs, and drops positions that need too much.
    /// </summary>
    /// <param name="chunks">The chunks, in order.</param>
    /// <param name="needed">The first chunk that recovery needs: only earlier ones are held by positions alone.</param>
    private long FirstKept(IReadOnlyList<Chunk> chunks, long needed)
    {
        List<string> events = [];
        long kept;
        using (_gate.Hold())
        {
            kept = FirstKept(chunks, needed, events);
        }

        foreach (string happened in events)
        {
            _options.Report(StorageEventKind.ChangesDropped, happened);
        }

        return kept;
    }

    private long FirstKept(IReadOnlyList<Chunk> chunks, long needed, List<string> events)
    {
        _gate.AssertHeld();
        TransactionId newest = _newest();
        while (_positions.Count > 0)
        {
            (string name, TransactionId oldest) = _positions.MinBy(static pair => pair.Value.Value);
            if (oldest >= newest)
            {
                break;
            }

            long first = FirstSequence(chunks, oldest);
            long held = chunks.Where(chunk => chunk.Sequence >= first && chunk.Sequence < needed).Sum(static chunk => chunk.Bytes)
                + _placed.Kept.BytesAfter(oldest);
            if (first > 0 && held <= _options.KeepChangesBytes)
            {
                return first;
            }

            events.Add(first == 0
                ? $"The changes after transaction {oldest}, to which '{name}' has read, are no longer in the journal."
                : Reason(name, oldest, held));
            Drop(name);
        }

        return long.MaxValue;
    }

    /// <summary>
    /// Drops positions that need too much of the large values alone: a checkpoint, which counts all, may not come for long. Requires the
    /// writer lock.
    /// </summary>
    private void Relieve()
    {
        if (_placed.Kept.Bytes <= _options.KeepChangesBytes)
        {
            return;
        }

        List<string> events = [];
        using (_gate.Hold())
        {
            while (_positions.Count > 0)
            {
                (string name, TransactionId oldest) = _positions.MinBy(static pair => pair.Value.Value);
                long held = _placed.Kept.BytesAfter(oldest);
                if (held <= _options.KeepChangesBytes)
                {
                    break;
                }

                events.Add(Reason(name, oldest, held));
                Drop(name);
            }
        }

        events.ForEach(happened => _options.Report(StorageEventKind.ChangesDropped, happened));
    }

    private string Reason(string name, TransactionId position, long held) =>
        $"The position {position} of '{name}' held {held} bytes of the journal and of large values, and KeepChangesBytes is "
        + $"{_options.KeepChangesBytes}: it was dropped. The consumer must begin again with a full copy.";

    private void Drop(string name)
    {
        _gate.AssertHeld();
        _positions.Remove(name);
        _dropped.Add(name);
        NoteOldest();
    }

    private void NoteOldest() => Volatile.Write(
        ref _oldest, (_positions.Count == 0 ? TransactionId.AfterAll : _positions.Values.Min()).Value);

    /// <summary>The last chunk that, with later ones, has everything after a position; 0 if there is none.</summary>
    private long FirstSequence(IReadOnlyList<Chunk> chunks, TransactionId position)
    {
        _gate.AssertHeld();
        for (int i = chunks.Count - 1; i >= 0; i--)
        {
            long sequence = chunks[i].Sequence;
            if (!_firsts.TryGetValue(sequence, out FirstRecord? first) && FirstRecord.TryRead(_files, sequence) is { } read)
            {
                first = _firsts[sequence] = read;
            }

            if (first is not null && first.Before <= position)
            {
                return sequence;
            }
        }

        return 0;
    }

    private void ReadTree(DatabaseParts parts)
    {
        TransactionId newest = _newest();
        if (!Catalog.TryFind(parts.Source, newest, InternalTrees.Feeds, out TreeRecord record))
        {
            return;
        }

        RangeCursor cursor = new(parts.Source, newest, record.RootPage, default, default, RangeEnds.None, reversed: false);
        try
        {
            while (cursor.MoveNext())
            {
                string name = Encoding.UTF8.GetString(cursor.Key);
                bool isGood = !cursor.IsOverflow(out ReadOnlySpan<byte> value) && value.Length == sizeof(long);
                if (isGood && MemoryMarshal.Read<TransactionId>(value) is var position && position <= newest)
                {
                    _positions[name] = position;
                }
                else
                {
                    _dropped.Add(name);
                }
            }
        }
        finally
        {
            cursor.Dispose();
        }
    }
}
