using System.Runtime.ExceptionServices;
using Voron.Simulation.Crashes;
using Voron.Storage;
using Voron.Storage.Format;
using Voron.Storage.Journal;
using Voron.Storage.Pages;

namespace Voron.Simulation.Engine;

/// <summary>
/// An open database in a crash test. Its rows live in two trees, told apart by a bit of the key's last byte, so that the catalog, trees
/// that come into being in the middle of
/// a run and transactions over several trees are part of every workload.
/// </summary>
internal sealed class EngineSession : ICrashSession
{
    private static readonly string[] TreeNames = ["even", "odd"];

    private readonly StorageEnvironment _environment;
    private readonly Dictionary<int, ReadTransaction> _readers = [];

    internal EngineSession(StorageEnvironment environment)
    {
        _environment = environment;
        EnvironmentReport report = environment.GetReport();
        ReplayedTransactions = report.LastTransactionId - report.CheckpointTransactionId;
    }

    public long LastTransactionId => _environment.GetReport().LastTransactionId;

    public long VisibleTransactionId => _environment.Database.Visible;

    /// <summary>
    /// All pages that the checkpoint's snapshot reaches: replay starts from them, and the check reads them all. The header is not read
    /// through the map.
    /// </summary>
    public IEnumerable<(long Offset, long Bytes)> ReachedThroughMap
    {
        get
        {
            UsedPages used = _environment.Database.UsedOnDisk;
            for (long page = FormatConstants.CatalogRootPage; page < used.EndPage; page++)
            {
                if (used.IsUsed(page))
                {
                    yield return (page * EngineSubject.PageBytes, EngineSubject.PageBytes);
                }
            }
        }
    }

    public long ReplayedTransactions { get; }

    public long Commit(WorkloadTransaction transaction)
    {
        using (WriteTransaction write = Begin(transaction))
        {
            write.Commit(ModeOf(transaction));
        }

        return LastTransactionId;
    }

    public long CommitGroup(IReadOnlyList<WorkloadTransaction> transactions)
    {
        var tickets = new List<(CommitTicket Ticket, CommitMode Mode)>();
        foreach (WorkloadTransaction transaction in transactions)
        {
            using WriteTransaction write = Begin(transaction);
            tickets.Add((write.Seal(ModeOf(transaction)), ModeOf(transaction)));
        }

        CompleteAll(tickets);
        return LastTransactionId;
    }

    public void Rollback(WorkloadTransaction transaction) => Begin(transaction).Dispose();

    public long OpenReader(int slot)
    {
        ReadTransaction reader = _environment.BeginRead();
        _readers.Add(slot, reader);
        return reader.TransactionId;
    }

    public void VisitReader(int slot, ContentVisitor visitor) => Visit(_readers[slot], visitor);

    public void CloseReader(int slot)
    {
        _readers.Remove(slot, out ReadTransaction reader);
        reader.Dispose();
    }

    public void Checkpoint() => _environment.Checkpoint();

    public void VisitContent(ContentVisitor visitor)
    {
        using ReadTransaction read = _environment.BeginRead();
        Visit(read, visitor);
    }

    public void Check()
    {
        CheckReport report = _environment.Check();
        if (!report.IsClean)
        {
            throw new InvalidDataException("The check found: " + string.Join("; ", report.Findings.Take(8)));
        }
    }

    public void Close()
    {
        EndReaders();
        _environment.Dispose();
    }

    public void Abandon()
    {
        EndReaders();
        _environment.Database.Abandon();
    }

    internal static CommitMode ModeOf(WorkloadTransaction transaction) => transaction.Promise switch
    {
        CommitPromise.Durable => CommitMode.Durable,
        CommitPromise.Buffered => CommitMode.Buffered,
        _ => CommitMode.Lazy,
    };

    /// <summary>Makes changes in their trees.</summary>
    internal static void Apply(WriteTransaction write, IEnumerable<WorkloadChange> changes)
    {
        foreach (WorkloadChange change in changes)
        {
            string name = TreeNames[TreeOf(change.Key)];
            if (change.Value is not null)
            {
                write.OpenTree(name).Put(change.Key, change.Value);
            }
            else if (write.TryOpenTree(name, out Tree tree))
            {
                tree.Delete(change.Key);
            }
        }
    }

    private static int TreeOf(byte[] key) => key[^1] & 1;

    private static void Visit(ReadTransaction read, ContentVisitor visitor)
    {
        var rows = new List<(byte[] Key, byte[] Value)>();
        foreach (string name in TreeNames)
        {
            if (read.TryOpenTree(name, out ReadTree tree))
            {
                long count = 0;
                foreach ((ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) in tree)
                {
                    rows.Add((key.ToArray(), value.ToArray()));
                    count++;
                }

                if (count != tree.Count)
                {
                    throw new InvalidDataException($"The tree '{name}' says that it has {tree.Count} entries and shows {count}.");
                }
            }
        }

        rows.Sort(static (left, right) => left.Key.AsSpan().SequenceCompareTo(right.Key));
        foreach ((byte[] key, byte[] value) in rows)
        {
            visitor(key, value);
        }
    }

    private WriteTransaction Begin(WorkloadTransaction transaction)
    {
        WriteTransaction write = _environment.BeginWrite(TimeSpan.Zero);
        Apply(write, transaction.Changes);
        return write;
    }

    /// <summary>All of them, whatever fails: the environment waits for every sealed transaction when it is disposed.</summary>
    private void CompleteAll(IEnumerable<(CommitTicket Ticket, CommitMode Mode)> tickets)
    {
        ExceptionDispatchInfo? first = null;
        foreach ((CommitTicket ticket, CommitMode mode) in tickets)
        {
            try
            {
                _environment.Database.Complete(ticket, mode);
            }
            catch (Exception error)
            {
                first ??= ExceptionDispatchInfo.Capture(error);
            }
        }

        first?.Throw();
    }

    private void EndReaders()
    {
        foreach (ReadTransaction reader in _readers.Values)
        {
            reader.Dispose();
        }

        _readers.Clear();
    }
}
