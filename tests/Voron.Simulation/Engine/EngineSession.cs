using System.IO.Pipelines;
using System.Runtime.ExceptionServices;
using System.Text;
using Voron.Simulation.Crashes;
using Voron.Storage;
using Voron.Storage.Commits;
using Voron.Storage.Engine;
using Voron.Storage.Format;
using Voron.Storage.Pages;
using Voron.Storage.Transactions;

namespace Voron.Simulation.Engine;

/// <summary>
/// An open database in a crash test. Its rows live in two trees, told apart by a bit of the key's last byte, so that the catalog, trees
/// that come into being in the middle of
/// a run and transactions over several trees are part of every workload.
/// </summary>
internal sealed class EngineSession : ICrashSession
{
    private readonly StorageEnvironment _environment;
    private readonly Dictionary<int, ReadTransaction> _readers = [];

    internal EngineSession(StorageEnvironment environment, RowTrees? trees = null)
    {
        _environment = environment;
        Trees = trees;
        EnvironmentReport report = environment.GetReport();
        ReplayedTransactions = report.LastTransactionId - report.CheckpointTransactionId;
    }

    /// <summary>What keeps the rows of even keys; null for ordered trees.</summary>
    internal RowTrees? Trees { get; }

    public long LastTransactionId => _environment.GetReport().LastTransactionId;

    public long VisibleTransactionId => _environment.Database.Parts.Versions.Visible.Value;

    /// <summary>
    /// All pages that the checkpoint's snapshot reaches: replay starts from them, and the check reads them all. And those that the present
    /// snapshot reaches: large values of replayed transactions are among them. The header is not read through the map.
    /// </summary>
    public IEnumerable<(long Offset, long Bytes)> ReachedThroughMap
    {
        get
        {
            UsedPages used = _environment.Database.UsedOnDisk;
            ReaderSlot slot = _environment.Database.BeginRead();
            UsedPages now = UsedPages.Load(_environment.Database.Parts.Source, used.Groups, slot.Snapshot);
            slot.Release(slot.Occupant);
            for (PageNumber page = FormatConstants.CatalogRootPage; page < PageNumber.Max(used.EndPage, now.EndPage); page++)
            {
                if (used.IsUsed(page) || now.IsUsed(page))
                {
                    yield return (page.ByteOffset(EngineSubject.PageBytes), EngineSubject.PageBytes);
                }
            }
        }
    }

    public long ReplayedTransactions { get; }

    public long Commit(WorkloadTransaction transaction)
    {
        using (WriteTransaction write = Begin(transaction))
        {
            if (transaction.IsAsync)
            {
                // The call that does not wait; a thread of the engine writes, and nothing else runs meanwhile.
                write.CommitAsync(ModeOf(transaction)).AsTask().GetAwaiter().GetResult();
            }
            else
            {
                write.Commit(ModeOf(transaction));
            }
        }

        return LastTransactionId;
    }

    public long CommitGroup(IReadOnlyList<WorkloadTransaction> transactions)
    {
        var tickets = new List<(CommitGroupId Ticket, CommitMode Mode)>();
        try
        {
            foreach (WorkloadTransaction transaction in transactions)
            {
                using WriteTransaction write = Begin(transaction);
                tickets.Add((write.Seal(ModeOf(transaction)), ModeOf(transaction)));
            }
        }
        finally
        {
            CompleteAll(tickets);
        }

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

    /// <summary>Makes changes in their trees, of whichever kind.</summary>
    internal void Change(WriteTransaction write, IEnumerable<WorkloadChange> changes)
    {
        if (Trees is not null)
        {
            Trees.Apply(write, changes);
        }
        else
        {
            Apply(write, changes);
        }
    }

    /// <summary>Makes changes in their trees.</summary>
    internal static void Apply(WriteTransaction write, IEnumerable<WorkloadChange> changes)
    {
        var streams = new List<(byte[] Key, PipeWriter Writer)>();
        WorkloadChange[] all = [.. changes];
        for (int i = 0; i < all.Length;)
        {
            int together = EngineLoad.CountTogether(all, i, TreeOf);
            if (together < 2)
            {
                Apply(write, all[i++], streams);
                continue;
            }

            CompleteStreams(streams);
            Tree tree = TryOpen(write, TreeOf(all[i].Key), out Tree there, out string name) ? there : write.OpenTree(name);
            EngineLoad.Put(tree, all.AsSpan(i, together).ToArray());
            i += together;
        }

        CompleteStreams(streams);
    }

    private static int TreeOf(byte[] key) => key[^1] & 1;

    private void Visit(ReadTransaction read, ContentVisitor visitor)
    {
        var rows = new List<(byte[] Key, byte[] Value)>();
        Trees?.Visit(read, rows);
        foreach (string[] names in Workload.TreeNames)
        {
            int found = 0;
            foreach (string name in names)
            {
                if (read.TryOpenTree(name, out ReadTree tree))
                {
                    found++;
                    Visit(tree, name, names[0], rows);
                }
            }

            if (found > 1)
            {
                throw new InvalidDataException($"The tree '{names[0]}' is there under both its names.");
            }
        }

        rows.Sort(static (left, right) => left.Key.AsSpan().SequenceCompareTo(right.Key));
        foreach ((byte[] key, byte[] value) in rows)
        {
            visitor(key, value);
        }
    }

    private static void Visit(ReadTree tree, string name, string first, List<(byte[] Key, byte[] Value)> rows)
    {
        long count = 0;
        string named = first;
        using Cursor cursor = tree.OpenCursor();
        for (bool there = cursor.MoveFirst(); there; there = cursor.MoveNext())
        {
            byte[] key = cursor.Key.ToArray();
            byte[] value = EngineValue.Of(tree, cursor);
            rows.Add((key, value));
            named = key.AsSpan().SequenceEqual(Workload.NameKeys[TreeOf(key)]) ? Encoding.UTF8.GetString(value) : named;
            count++;
        }

        if (tree.IsCountExact && count != tree.Count)
        {
            throw new InvalidDataException($"The tree '{name}' says that it has {tree.Count} entries and shows {count}.");
        }

        if (named != name)
        {
            throw new InvalidDataException($"The tree '{name}' should have the name '{named}'.");
        }
    }

    /// <summary>The tree under the name that it has now.</summary>
    private static bool TryOpen(WriteTransaction write, int tree, out Tree opened, out string name)
    {
        foreach (string possible in Workload.TreeNames[tree])
        {
            name = possible;
            if (write.TryOpenTree(possible, out opened))
            {
                return true;
            }
        }

        opened = default;
        name = Workload.TreeNames[tree][0];
        return false;
    }

    private static void Apply(WriteTransaction write, WorkloadChange change, List<(byte[] Key, PipeWriter Writer)> streams)
    {
        if (change.End is not null)
        {
            CompleteStreams(streams);
            for (int i = 0; i < Workload.TreeNames.Count; i++)
            {
                _ = TryOpen(write, i, out Tree other, out _)
                    ? other.DeleteRange(EngineValue.OwnKey(other, change.Key), EngineValue.OwnKey(other, change.End))
                    : 0;
            }

            return;
        }

        CompleteStreams(streams, change.Key);
        int number = TreeOf(change.Key);
        bool exists = TryOpen(write, number, out Tree tree, out string name);
        if (change.Value is null)
        {
            _ = exists && tree.Delete(EngineValue.OwnKey(tree, change.Key));
            return;
        }

        if (!exists)
        {
            tree = write.OpenTree(name);
        }

        if (EngineValue.Put(tree, change.Key, change.Value) is { } writer)
        {
            streams.Add((change.Key, writer));
        }

        if (change.Key.AsSpan().SequenceEqual(Workload.NameKeys[number]))
        {
            CompleteStreams(streams);
            string asked = Encoding.UTF8.GetString(change.Value);
            _ = asked != name && write.RenameTree(name, asked);
        }
    }

    private WriteTransaction Begin(WorkloadTransaction transaction)
    {
        WriteTransaction write = _environment.BeginWrite(TimeSpan.Zero);
        try
        {
            Change(write, transaction.Changes);
            return write;
        }
        catch
        {
            write.Dispose();
            throw;
        }
    }

    /// <summary>A stream is completed late, but before its key is changed again.</summary>
    private static void CompleteStreams(List<(byte[] Key, PipeWriter Writer)> streams, byte[]? key = null)
    {
        foreach ((byte[] _, PipeWriter writer) in streams.Where(stream => key is null || stream.Key.AsSpan().SequenceEqual(key)))
        {
            writer.Complete();
        }

        streams.RemoveAll(stream => key is null || stream.Key.AsSpan().SequenceEqual(key));
    }

    /// <summary>All of them, whatever fails: the environment waits for every sealed transaction when it is disposed.</summary>
    private void CompleteAll(IEnumerable<(CommitGroupId Ticket, CommitMode Mode)> tickets)
    {
        ExceptionDispatchInfo? first = null;
        foreach ((CommitGroupId ticket, CommitMode mode) in tickets)
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
