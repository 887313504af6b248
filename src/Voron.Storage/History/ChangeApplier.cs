using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Recovery;
using Voron.Storage.Transactions;

namespace Voron.Storage.History;

/// <summary>
/// Applies the transactions of a stream to a database, each as one transaction of the same number. Those that the database has already are
/// passed over; one that the stream does not end is rolled back.
/// </summary>
/// <param name="database">The database that takes them.</param>
/// <param name="frames">The stream, after its head.</param>
/// <param name="upToTicks">A transaction of a later time is passed over, and all after it.</param>
/// <param name="cancellation">Ends it between two frames.</param>
internal sealed class ChangeApplier(Database database, FrameReader frames, long upToTicks, CancellationToken cancellation)
{
    /// <summary>Bytes of a full backup after which the next transaction is begun, if a number is left for it.</summary>
    internal const long PieceBytes = 32 << 20;

    private readonly ArrivingValues _values = new();
    private WriteHandle? _lease;
    private WriteSession? _session;
    private long _generation;

    /// <summary>The transaction of the present frame; the next part of it may follow.</summary>
    private TransactionId _id;
    private int _tree;
    private byte[] _treeName = [];

    /// <summary>Whether puts into the tree are of a full backup: entries of an ordered tree, each above the ones before.</summary>
    private bool _appends;

    /// <summary>
    /// Whether it is a full backup: the entries of each tree come in the order of their keys, into new trees. It is applied in several
    /// transactions, and without the journal, as the database is not used before it is complete.
    /// </summary>
    private bool _isFull;
    private long _pieceBytes;

    /// <summary>The last time that the stream has named.</summary>
    private TransactionTime _time;

    /// <summary>Later transactions are passed over.</summary>
    internal required TransactionId UpTo { get; set; }

    /// <summary>Whether the stream names the time of any transaction.</summary>
    internal bool HasTimes => _time.UtcTicks > 0;

    /// <summary>Transactions that were applied.</summary>
    internal long Transactions { get; private set; }

    /// <summary>The last transaction of the stream, applied or not.</summary>
    internal TransactionId LastSeen { get; private set; }

    private TransactionId Newest => database.Parts.Pipeline.LastSealed;

    /// <summary>Applies all frames, and makes them durable. Returns whether the stream has an end.</summary>
    internal async ValueTask<bool> RunAsync(StreamHead head)
    {
        _isFull = head.IsFull != 0;
        LastSeen = head.After;
        if (!_isFull && head.After > Newest && head.After < UpTo)
        {
            Throw.Gap(head.After.Next, Newest);
        }

        try
        {
            bool isComplete = await ApplyAllAsync().ConfigureAwait(false);
            await database.FlushAsync(cancellation).ConfigureAwait(false);
            return isComplete;
        }
        finally
        {
            _session?.Rollback(_lease!, _generation);
        }
    }

    private async ValueTask<bool> ApplyAllAsync()
    {
        while (await frames.TryReadAsync().ConfigureAwait(false))
        {
            cancellation.ThrowIfCancellationRequested();
            switch (frames.Kind)
            {
                case FrameKind.Placed:
                    if (await BeginAsync(frames.HeadOf<PlacedHead>().TransactionId).ConfigureAwait(false))
                    {
                        TryApply(TakePlaced);
                    }

                    break;
                case FrameKind.Records:
                    RecordsHead head = frames.HeadOf<RecordsHead>();
                    if (await BeginAsync(head.TransactionId).ConfigureAwait(false))
                    {
                        TryApply(TakeRecords);
                        await EndAsync(head).ConfigureAwait(false);
                    }

                    LastSeen = head.IsLast != 0 ? head.TransactionId : LastSeen;
                    break;
                case FrameKind.Time:
                    TakeTime();
                    break;
                case FrameKind.End:
                    return IsEnd();
                default:
                    Throw.BadFrame(frames.Number, $"its kind is {(uint)frames.Kind}");
                    break;
            }
        }

        return false;
    }

    private bool IsEnd()
    {
        StreamEnd end = frames.HeadOf<StreamEnd>();
        if (_session is not null || (end.Last != LastSeen && end.Transactions > 0 && end.Last > TransactionId.None))
        {
            Throw.BadFrame(frames.Number, $"it ends the stream at transaction {end.Last}, and the last whole one before it is {LastSeen}");
        }

        return true;
    }

    /// <summary>Begins the transaction of a frame, if it is not open; false if it is not applied.</summary>
    private async ValueTask<bool> BeginAsync(TransactionId id)
    {
        if (_session is not null && id == _id)
        {
            return true;
        }

        if (_session is not null || id <= TransactionId.None)
        {
            Throw.BadFrame(frames.Number, $"it is of transaction {id} in the middle of transaction {_id}");
        }

        if (id <= Newest || id > UpTo)
        {
            return false;
        }

        await OpenAsync().ConfigureAwait(false);
        if (_session!.Snapshot != id && !_isFull)
        {
            TransactionId newest = Newest;
            _session.Rollback(_lease!, _generation);
            _session = null;
            if (id > newest.Next)
            {
                Throw.Gap(id, newest);
            }

            return false;
        }

        _id = id;
        _session.Redo.TakeOver(_time.TransactionId == id ? _time.UtcTicks : 0);
        _tree = -1;
        _appends = false;
        _values.Clear();
        return true;
    }

    private async ValueTask OpenAsync()
    {
        _lease = (await database.BeginWriteAsync(Timeout.InfiniteTimeSpan, cancellation, applies: true).ConfigureAwait(false))!;
        _session = _lease.Session;
        _generation = _session.Generation;
        _pieceBytes = 0;
        if (_isFull)
        {
            _session.SkipJournal();
        }
    }

    private ValueTask CommitAsync()
    {
        WriteSession session = _session!;
        if (_isFull)
        {
            session.CommitUnlogged(_lease!, _generation);
            _session = null;
            return ValueTask.CompletedTask;
        }

        ValueTask commit = session.CommitAsync(_lease!, _generation, CommitMode.Lazy);
        _session = null;
        return commit;
    }

    private async ValueTask EndAsync(RecordsHead head)
    {
        if (head.IsLast == 0)
        {
            await EndPieceAsync().ConfigureAwait(false);
            return;
        }

        if (!_values.IsEmpty)
        {
            Throw.BadFrame(frames.Number, $"it ends transaction {_id}, of which values were not put");
        }

        await CommitAsync().ConfigureAwait(false);
        while (_isFull && Newest < _id)
        {
            await OpenAsync().ConfigureAwait(false);
            await CommitAsync().ConfigureAwait(false);
        }

        Transactions++;
    }

    /// <summary>Commits what was applied of a full backup, if it is much, and goes on in the next transaction.</summary>
    private async ValueTask EndPieceAsync()
    {
        bool isEnough = _isFull && _pieceBytes >= PieceBytes && _values.IsEmpty;
        if (!isEnough || _session!.Snapshot >= _id)
        {
            return;
        }

        await CommitAsync().ConfigureAwait(false);
        await OpenAsync().ConfigureAwait(false);
        if (_tree >= 0)
        {
            Select();
        }
    }

    private void Select()
    {
        SessionTrees trees = _session!.Trees;
        _tree = trees.Find(_generation, _treeName);
        _appends = _isFull && _tree >= 0 && trees.ShapeOf(_tree).IsOrdered;
    }

    /// <summary>Refuses frames that say what no transaction of the source can have done.</summary>
    private void TryApply(Action take)
    {
        try
        {
            take();
        }
        catch (Exception error) when (error is CorruptJournalException || Replay.IsImpossible(error))
        {
            Throw.BadContent(frames.Number, _id, error);
        }
    }

    private void TakeTime()
    {
        TransactionTime time = frames.HeadOf<TransactionTime>();
        if (_session is not null || !time.IsPossible)
        {
            Throw.BadFrame(frames.Number, $"it says that transaction {time.TransactionId} is of time {time.UtcTicks}");
        }

        _time = time;
        if (time.UtcTicks > upToTicks && time.TransactionId > Newest)
        {
            UpTo = TransactionId.Min(UpTo, new TransactionId(time.TransactionId.Value - 1));
        }
    }

    private void TakePlaced()
    {
        _pieceBytes += frames.Payload.Length;
        PlacedHead head = frames.HeadOf<PlacedHead>();
        ReadOnlySpan<byte> bytes = frames.Payload.Span[PlacedHead.SizeBytes..];
        int before = _values.OpenBytes;
        if (head.Offset != before || !_values.TryTake(_session!, _generation, head.ValueBytes, bytes))
        {
            Throw.BadFrame(frames.Number, $"bytes {head.Offset} of {head.ValueBytes} follow {before} bytes of a value");
        }
    }

    private void TakeRecords()
    {
        _pieceBytes += frames.Payload.Length;
        RecordsHead head = frames.HeadOf<RecordsHead>();
        RedoReader redo = new(frames.Payload.Span[RecordsHead.SizeBytes..], head.IsFirst != 0);
        while (redo.MoveNext())
        {
            Apply(redo);
        }
    }

    private void Apply(in RedoReader redo)
    {
        SessionTrees trees = _session!.Trees;
        switch (redo.Operation)
        {
            case RedoOperation.SelectTree:
                _treeName = redo.Key.ToArray();
                Select();
                break;
            case RedoOperation.CreateTree:
                trees.Open(_generation, redo.Key, create: true);
                break;
            case RedoOperation.CreateTreeOf:
                trees.Open(_generation, redo.Key, redo.Shape, create: true);
                break;
            case RedoOperation.Put when _appends:
                trees.Append(_generation, _tree, redo.Key, redo.Value);
                break;
            case var _ when _tree >= 0 && trees.TryApply(_generation, _tree, redo):
                break;
            case RedoOperation.DropTree when trees.Drop(_generation, redo.Key):
                break;
            case RedoOperation.RenameTree when trees.Rename(_generation, redo.Key, redo.Value):
                break;
            case RedoOperation.Put when _tree >= 0:
                trees.Put(_generation, _tree, redo.Key, redo.Value);
                break;
            case RedoOperation.Delete when _tree >= 0:
                trees.Delete(_generation, _tree, redo.Key);
                break;
            case RedoOperation.DeleteRange when _tree >= 0:
                trees.DeleteRange(_generation, _tree, redo.Key, redo.Value);
                break;
            case RedoOperation.PutPlaced when _values.TryPut(_session, _generation, _tree, redo):
                break;
            default:
                Throw.BadOperation(_id, redo.Operation);
                break;
        }
    }
}
