using System.Collections.Immutable;

namespace Voron.Simulation.Crashes;

/// <summary>Plays one workload on one disk through a session, keeps the model beside it and leaves the crash points behind.</summary>
internal sealed class CrashRun
{
    /// <summary>Open readers look between the sectors of one write in so many.</summary>
    private const int LookOneIn = 16;

    private readonly ICrashSubject _subject;
    private readonly SimDisk _disk;
    private readonly Workload _workload;
    private readonly Model _model;
    private readonly CrashOrigin _origin;
    private readonly CrashRecorder _recorder;
    private readonly SortedDictionary<int, long> _readers = [];
    private readonly List<long> _durable = [];

    /// <summary>Those that are not lazy: when they can be seen, they were written.</summary>
    private readonly List<long> _written = [];
    private bool _hasCommitted;
    private ICrashSession? _open;
    private CrashFailureException? _torn;
    private long _steps;

    internal CrashRun(ICrashSubject subject, SimDisk disk, Workload workload, Model model, CrashOrigin origin)
    {
        _subject = subject;
        _disk = disk;
        _workload = workload;
        _model = model;
        _origin = origin;
        long first = model.LastTransaction;
        _recorder = new CrashRecorder(disk, new CrashBounds(first, first, first));
    }

    internal List<CrashPoint> Play()
    {
        _disk.OnStep = _ => LookWhileWriting();
        try
        {
            ICrashSession session = Open();
            for (int i = 0; i < _workload.Steps.Count; i++)
            {
                _recorder.Step = i;
                session = Play(session, _workload.Steps[i]);
                _recorder.Note();
                if (_torn is not null)
                {
                    throw _torn;
                }
            }

            _recorder.Step = _workload.Steps.Count;
            Require(session, "O3", "the content at the end of the run");
            session.Check();
            Close(session);
        }
        catch (Exception error) when (error is not CrashFailureException)
        {
            throw _origin.Failure("run", "the run itself failed", Where(), error);
        }
        finally
        {
            _recorder.Stop();
            _disk.OnStep = null;
        }

        return _recorder.Points;
    }

    /// <summary>Compares what a visitor is shown with the model; null when all is equal.</summary>
    internal static string? Difference(ImmutableSortedDictionary<byte[], byte[]>? expected, Action<ContentVisitor> visit)
    {
        if (expected is null)
        {
            return "no such transaction was ever started";
        }

        string? difference = null;
        using ImmutableSortedDictionary<byte[], byte[]>.Enumerator rows = expected.GetEnumerator();
        visit((key, value) =>
        {
            if (difference is not null)
            {
                return;
            }

            if (!rows.MoveNext())
            {
                difference = $"a row too many: {Convert.ToHexString(key)}";
            }
            else if (!key.SequenceEqual(rows.Current.Key))
            {
                difference = $"key {Convert.ToHexString(key)} where {Convert.ToHexString(rows.Current.Key)} was expected";
            }
            else if (!value.SequenceEqual(rows.Current.Value))
            {
                difference = $"value of {Convert.ToHexString(key)} differs: {value.Length} bytes, {rows.Current.Value.Length} expected";
            }
        });
        return difference ?? (rows.MoveNext() ? $"row missing: {Convert.ToHexString(rows.Current.Key)}" : null);
    }

    private ICrashSession Open()
    {
        ICrashSession session = _subject.Open(_disk);
        Require(session, "O1", "an open after a clean end");
        _hasCommitted = false;
        _open = session;
        _recorder.Seen = bounds => Seen(bounds, session.VisibleTransactionId);
        return session;
    }

    /// <summary>
    /// O7: whatever a reader can see was written before, unless it is lazy and none behind it that is not can be seen, and is on the
    /// device if durability was asked for it or for a later transaction
    /// that can be seen.
    /// </summary>
    private CrashBounds Seen(CrashBounds bounds, long visible)
    {
        int last = _durable.FindLastIndex(transaction => transaction <= visible);
        int lastWritten = _written.FindLastIndex(transaction => transaction <= visible);
        return bounds with
        {
            LeastAfterCut = last < 0 ? bounds.LeastAfterCut : Math.Max(bounds.LeastAfterCut, _durable[last]),
            LeastAfterKill = lastWritten < 0 ? bounds.LeastAfterKill : Math.Max(bounds.LeastAfterKill, _written[lastWritten]),
        };
    }

    private ICrashSession Play(ICrashSession session, WorkloadStep step)
    {
        switch (step.Letter)
        {
            case WorkloadLetter.Rollback:
                session.Rollback(step.Transactions[0]);
                break;
            case WorkloadLetter.OpenReader:
                OpenReader(session, step.Slot);
                break;
            case WorkloadLetter.CloseReader:
                CloseReader(session, step.Slot);
                break;
            case WorkloadLetter.Checkpoint:
                session.Checkpoint();
                break;
            case WorkloadLetter.Reopen:
                Close(session);
                ICrashSession next = Open();
                if (next.ReplayedTransactions > 0)
                {
                    throw _origin.Failure("O5", $"{next.ReplayedTransactions} transactions were replayed after a clean close", Where());
                }

                return next;
            default:
                Commit(session, step.Transactions);
                break;
        }

        return session;
    }

    private void Commit(ICrashSession session, IReadOnlyList<WorkloadTransaction> transactions)
    {
        long previous = _model.LastTransaction;
        ImmutableSortedDictionary<byte[], byte[]> content = _model.At(previous)!;
        foreach (WorkloadTransaction transaction in transactions)
        {
            long started = _model.Start(transaction);
            if (transaction.Promise == CommitPromise.Durable)
            {
                _durable.Add(started);
            }

            if (transaction.Promise != CommitPromise.Lazy)
            {
                _written.Add(started);
            }
        }

        long expected = _model.LastTransaction;
        bool isDurable = transactions[^1].Promise == CommitPromise.Durable;
        bool isWritten = transactions[^1].Promise != CommitPromise.Lazy;
        _recorder.Bounds = _recorder.Bounds with { Most = expected };
        long committed = transactions.Count == 1 ? session.Commit(transactions[0]) : session.CommitGroup(transactions);
        if (committed == expected - 1 && transactions.Count == 1 && content.SequenceEqual(_model.At(expected)!))
        {
            _model.TakeBackLast();
            _durable.Remove(expected);
            _written.Remove(expected--);

            // A commit that changed nothing writes nothing; it is no barrier for earlier ones that asked for less.
            isDurable = false;
            isWritten = false;
        }

        if (committed != expected)
        {
            throw _origin.Failure("ids", $"the commit got the id {committed}, not {expected}", Where());
        }

        _hasCommitted |= committed > previous;
        CrashBounds before = _recorder.Bounds;
        _recorder.Bounds = new CrashBounds(
            isDurable ? committed : before.LeastAfterCut, isWritten ? committed : before.LeastAfterKill, committed);
    }

    private void OpenReader(ICrashSession session, int slot)
    {
        if (_readers.ContainsKey(slot))
        {
            return;
        }

        long transaction = session.OpenReader(slot);
        if (transaction != _model.LastTransaction)
        {
            throw _origin.Failure("O7", $"a new reader sees transaction {transaction}, not {_model.LastTransaction}", Where());
        }

        _readers.Add(slot, transaction);
        RequireReader(session, slot);
    }

    private void CloseReader(ICrashSession session, int slot)
    {
        if (_readers.ContainsKey(slot))
        {
            RequireReader(session, slot);
            _readers.Remove(slot);
            session.CloseReader(slot);
        }
    }

    private void Close(ICrashSession session)
    {
        foreach (int slot in _readers.Keys.ToArray())
        {
            CloseReader(session, slot);
        }

        _recorder.Seen = null;
        _open = null;
        session.Close();
        if (_disk.OpenFileCount != 0 || _disk.MappedFileCount != 0)
        {
            throw _origin.Failure("O9", $"{_disk.OpenFileCount} files are open, {_disk.MappedFileCount} mapped after a close", Where());
        }

        if (_hasCommitted && _subject.FindLitter(_disk.Paths()) is { } litter)
        {
            throw _origin.Failure("O9", $"a clean close left {litter}", Where());
        }
    }

    /// <summary>
    /// A write is half done and can be seen in the map: no reader may read what is being written. What it finds is thrown later, for here
    /// it would run through the engine.
    /// </summary>
    private void LookWhileWriting()
    {
        if (_open is not { } session || ++_steps % LookOneIn != 0)
        {
            return;
        }

        foreach (int slot in _readers.Keys)
        {
            try
            {
                RequireReader(session, slot);
            }
            catch (Exception error)
            {
                _torn ??= _origin.Failure("O3", $"the reader of transaction {_readers[slot]} while a write is half done", Where(), error);
            }
        }
    }

    private void RequireReader(ICrashSession session, int slot)
    {
        string? difference = Difference(_model.At(_readers[slot]), visitor => session.VisitReader(slot, visitor));
        if (difference is not null)
        {
            throw _origin.Failure("O3", $"the reader of transaction {_readers[slot]}: {difference}", Where());
        }
    }

    private void Require(ICrashSession session, string oracle, string what)
    {
        string? difference = session.LastTransactionId != _model.LastTransaction
            ? $"last transaction {session.LastTransactionId}, not {_model.LastTransaction}"
            : Difference(_model.At(_model.LastTransaction), session.VisitContent);
        if (difference is not null)
        {
            throw _origin.Failure(oracle, $"{what}: {difference}", Where());
        }
    }

    private string Where() => $"no crash: step {_recorder.Step} of {_workload.Steps.Count}, disk call {_disk.CallCount}";
}
