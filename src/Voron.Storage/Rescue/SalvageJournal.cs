using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Recovery;
using Voron.Storage.Versions;

namespace Voron.Storage.Rescue;

/// <summary>
/// Applies every readable transaction of the commit journal after a record, also after a loss: operations are results, so each is valid
/// without the ones before it. What follows a torn tail was never acknowledged and is omitted, as by recovery.
/// </summary>
/// <param name="files">The journal.</param>
/// <param name="source">The pages of the checkpoint, for values in the data file.</param>
/// <param name="target">The new database.</param>
/// <param name="pending">What was pending at the checkpoint.</param>
/// <param name="mayHaveBlocks">Whether a tree of which nothing is known may be no ordered one.</param>
/// <param name="cancellation">Ends it.</param>
internal sealed class SalvageJournal(
    JournalFiles files,
    PageSource source,
    SalvageTarget target,
    SalvagePending pending,
    bool mayHaveBlocks,
    CancellationToken cancellation)
    : IDisposable
{
    private readonly List<Found> _records = [];

    /// <summary>Fragments, in order, of the transaction whose commit record is next.</summary>
    private readonly List<Found> _fragments = [];
    private ChunkContent? _content;
    private byte[] _tree = [];
    private bool _isOfUnknownKind;

    /// <summary>Number of the operation in its transaction.</summary>
    private long _operation;

    private delegate void PartAction(RedoReader part);

    /// <summary>Returns the number of transactions applied.</summary>
    /// <param name="checkpoint">The last record that the leaves of the checkpoint include.</param>
    /// <param name="firstPending">The first chunk with entries that were pending then; 0 for none.</param>
    /// <param name="claimed">A chunk that was durable when the newest header slot was written; 0 for none.</param>
    /// <param name="closed">Chunks up to this one have no record after the checkpoint's; 0 if unknown.</param>
    internal long Run(RecordMark checkpoint, long firstPending, long claimed, long closed)
    {
        // What is before the record of the first pending entry in its chunk is of no use, so that is the first record of the chain.
        RecordMark mark = firstPending > 0
            ? new RecordMark(new TransactionId(pending.Since.Value - 1), new JournalPosition(firstPending, 0), 0)
            : checkpoint;
        List<long> sequences = files.ListSequences(ChunkKind.Commit);
        foreach (long sequence in sequences.Where(sequence => sequence >= mark.Position.Sequence))
        {
            Collect(sequence, mark);
        }

        NoteMissing(mark, sequences, [claimed, mark.Position.Sequence], firstPending > 0 ? 0 : closed);
        long applied = 0;
        TransactionId last = mark.TransactionId;
        ulong lastChecksum = mark.Checksum;
        JournalPosition end = mark.Position;
        for (int i = 0; i < _records.Count; i++)
        {
            cancellation.ThrowIfCancellationRequested();
            Found found = _records[i];
            if (found.Header.PreviousChecksum != lastChecksum && (i > 0 || firstPending == 0))
            {
                if (!IsLossProven(i, end))
                {
                    break;
                }

                target.Lose(null, $"The commit journal is damaged behind {end}: transactions {last.Next} to "
                    + $"{Math.Max(last.Next.Value, found.Header.TransactionId.Value - 1)} are lost, or parts of them.");
                _fragments.Clear();
            }

            if (found.Header.TransactionId > checkpoint.TransactionId)
            {
                pending.Write();
            }

            lastChecksum = found.Header.Checksum;
            end = new JournalPosition(found.Sequence, found.Header.Offset);
            applied += TryApply(found, found.Header.TransactionId <= checkpoint.TransactionId) ? 1 : 0;
            last = found.Header.Flags == RecordFlags.Commit ? found.Header.TransactionId : last;
        }

        pending.Write();
        return applied;
    }

    public void Dispose() => _content?.Dispose();

    /// <summary>Returns the chunks that the header slot, the checkpoint or a later chunk names and that do not exist.</summary>
    private void NoteMissing(RecordMark mark, List<long> sequences, List<long> named, long closed)
    {
        named.AddRange(files.ListChunks(ChunkKind.Commit).Select(static chunk => chunk.PreviousSequence));
        foreach (long sequence in named.Distinct().Where(sequence =>
            sequence >= Math.Max(1, mark.Position.Sequence) && sequence > closed && !sequences.Contains(sequence)))
        {
            string path = files.PathOf(ChunkKind.Commit, sequence);
            target.Lose(null, $"'{path}' is missing; transactions behind {mark.TransactionId} that it held are lost.");
        }
    }

    /// <summary>Collects the valid records of a chunk. Records that a later one replaces are leftovers of an earlier recovery.</summary>
    private void Collect(long sequence, RecordMark mark)
    {
        ChunkState state = files.Judge(ChunkKind.Commit, sequence, out Chunk chunk);
        string path = files.PathOf(ChunkKind.Commit, sequence);
        if (state is ChunkState.Foreign or ChunkState.Missing)
        {
            target.Lose(null, $"'{path}' belongs to another database and was not read.");
            return;
        }

        if (state == ChunkState.Damaged)
        {
            target.Lose(null, $"The header of '{path}' is damaged or the file was cut short; its sound records were read, "
                + "but for those of another database.");
        }

        using ChunkContent content = state == ChunkState.Damaged
            ? ChunkContent.OfDamaged(files, sequence)
            : new ChunkContent(files.Disk, chunk);
        long at = FormatConstants.ChunkBodyOffset;
        while (content.TryFindRecord(ref at, out RecordHeader header))
        {
            if (new JournalPosition(sequence, at) > mark.Position && header.TransactionId > mark.TransactionId)
            {
                Add(new Found(sequence, header, state == ChunkState.Sound ? chunk : null));
            }

            at += ChunkContent.RoundUp(RecordHeader.SizeBytes + header.StoredBytes, FormatConstants.RecordAlignmentBytes);
        }
    }

    /// <summary>
    /// Whether a record replaces another one. It does not replace what it follows by its checksum: fragments of a transaction that was
    /// rolled back are before those of the next one, which has the same number.
    /// </summary>
    private void Add(in Found found)
    {
        while (_records.Count > 0 && _records[^1].Header.Checksum != found.Header.PreviousChecksum && IsReplacedBy(_records[^1], found))
        {
            _records.RemoveAt(_records.Count - 1);
        }

        _records.Add(found);
    }

    private static bool IsReplacedBy(in Found before, in Found found) =>
        before.Header.TransactionId > found.Header.TransactionId
        || (before.Header.TransactionId == found.Header.TransactionId
            && (before.Header.Flags == RecordFlags.Commit || (before.Sequence != found.Sequence && found.Header.FragmentNumber == 0)));

    /// <summary>Whether a record from here on says that something after the last good one was on the device when it was written.</summary>
    private bool IsLossProven(int from, JournalPosition end)
    {
        for (int i = from; i < _records.Count; i++)
        {
            if (new JournalPosition(_records[i].Header.DurableSequence, _records[i].Header.DurableOffset) > end)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Returns whether the record ends a complete transaction, and it was applied.</summary>
    private bool TryApply(in Found found, bool isPending)
    {
        RecordHeader header = found.Header;
        if (header.Flags == RecordFlags.Fragment)
        {
            if (header.FragmentNumber == 0)
            {
                _fragments.Clear();
            }

            if (header.FragmentNumber == _fragments.Count)
            {
                _fragments.Add(found);
            }

            return false;
        }

        bool isWhole = header.FragmentCount == 0 || header.FragmentCount == _fragments.Count;
        List<Found> parts = header.FragmentCount == 0 ? [found] : [.. _fragments, found];
        _fragments.Clear();
        if (!isWhole)
        {
            target.Lose(null, $"Transaction {header.TransactionId} of the commit journal misses a part and was not applied.");
            return false;
        }

        return TryApply(header.TransactionId, parts, isPending) && !isPending;
    }

    private ChunkContent ContentOf(in Found found)
    {
        if (_content is null || _content.Chunk.Sequence != found.Sequence)
        {
            _content?.Dispose();
            _content = found.Chunk is { } chunk
                ? new ChunkContent(files.Disk, chunk)
                : ChunkContent.OfDamaged(files, found.Sequence);
        }

        return _content;
    }

    private bool TryApply(TransactionId transaction, List<Found> parts, bool isPending)
    {
        try
        {
            // Only a transaction that was written in fragments has noted its roll-backs.
            UndoneRedo undone = new();
            if (parts.Count > 1 && !TryEachPart(transaction, parts, undone.LookThrough))
            {
                return false;
            }

            _tree = [];
            _isOfUnknownKind = false;
            _operation = 0;
            return TryEachPart(transaction, parts, part => Apply(part, undone, isPending ? transaction : TransactionId.None));
        }
        catch (Exception error) when (error is CorruptJournalException || Replay.IsImpossible(error))
        {
            target.Lose(null, $"Transaction {transaction} of the commit journal was applied in part only: {error.Message}");
            return false;
        }
    }

    private bool TryEachPart(TransactionId transaction, List<Found> parts, PartAction action)
    {
        for (int i = 0; i < parts.Count; i++)
        {
            if (!ContentOf(parts[i]).TryRead(parts[i].Header.Offset, out _, out ReadOnlySpan<byte> body))
            {
                target.Lose(null, $"A part of transaction {transaction} of the commit journal can be read no more.");
                return false;
            }

            action(new RedoReader(body, isFirst: i == 0));
        }

        return true;
    }

    /// <param name="redo">The operations.</param>
    /// <param name="undone">Which of them were undone.</param>
    /// <param name="transaction">The transaction, if only pending entries count; otherwise none.</param>
    private void Apply(RedoReader redo, UndoneRedo undone, TransactionId transaction)
    {
        for (; redo.MoveNext(); _operation++)
        {
            if (undone.Contains(_operation))
            {
                continue;
            }

            if (transaction != TransactionId.None)
            {
                pending.Apply(redo, transaction);
                continue;
            }

            switch (redo.Operation)
            {
                case RedoOperation.SelectTree:
                    _tree = HomeOf(redo.Key);
                    break;
                case RedoOperation.CreateTree or RedoOperation.CreateTreeOf:
                    target.Create(redo.Key, redo.Shape);
                    break;
                case RedoOperation.DropTree:
                    target.Drop(redo.Key);
                    break;
                case RedoOperation.Put or RedoOperation.Delete or RedoOperation.DeleteRange or RedoOperation.DeletePair
                    when _tree.Length > 0 && target.TryApplyToBlocks(_tree, redo):
                    break;
                case RedoOperation.Put when _tree.Length > 0:
                    target.Put(_tree, redo.Key, redo.Value);
                    break;
                case RedoOperation.PutPlaced when _tree.Length > 0:
                    target.PutPlaced(_tree, redo.Key, redo.Runs, source);
                    break;
                case RedoOperation.Delete when _tree.Length > 0:
                    target.Delete(_tree, redo.Key);
                    break;
                case RedoOperation.DeleteRange when _tree.Length > 0:
                    target.DeleteRange(_tree, redo.Key, redo.Value);
                    break;
                case RedoOperation.DeletePair when _isOfUnknownKind:
                    break;
                case RedoOperation.RenameTree when IsOfUnknownKind(redo.Key):
                    target.Drop(redo.Value);
                    break;
                case RedoOperation.RenameTree:
                    target.Rename(redo.Key, redo.Value);
                    break;
                case RedoOperation.Savepoint or RedoOperation.Release or RedoOperation.Time:
                    break;
                default:
                    Recovery.Throw.NoTreeInReplay(redo.Operation);
                    break;
            }
        }
    }

    /// <summary>
    /// Returns the name of the tree that gets what the journal has of a tree. If the catalog's record is lost, nothing may say whether a
    /// put is one of an entry or of a pair. In an ordered tree with the name of a multi-value tree most pairs would be missing, so it is
    /// one in lost+found.
    /// </summary>
    private byte[] HomeOf(ReadOnlySpan<byte> tree)
    {
        _isOfUnknownKind = IsOfUnknownKind(tree);
        if (!_isOfUnknownKind)
        {
            return tree.ToArray();
        }

        byte[] home = [.. "lost+found/"u8, .. tree];
        home = home[..Math.Min(home.Length, FormatConstants.MaxNameBytes)];
        if (!target.HasTree(home))
        {
            string name = KeyText.Of(tree);
            target.Lose(name, $"The catalog's record of tree '{name}' is lost, and so is its kind: what the commit journal has of it is in "
                + $"'{KeyText.Of(home)}', of each key the last value.");
        }

        return home;
    }

    private bool IsOfUnknownKind(ReadOnlySpan<byte> tree) => mayHaveBlocks && !target.HasTree(tree);

    /// <param name="Sequence">The chunk that holds the record.</param>
    /// <param name="Header">The record.</param>
    /// <param name="Chunk">The chunk, if its header is valid.</param>
    private readonly record struct Found(long Sequence, RecordHeader Header, Chunk? Chunk);
}
