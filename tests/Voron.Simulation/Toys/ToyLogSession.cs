using System.Collections.Immutable;
using Voron.Simulation.Crashes;
using Voron.Storage;
using Voron.Storage.Format;

namespace Voron.Simulation.Toys;

/// <summary>
/// One open toy log. Commits are appended by one write-through write; a checkpoint writes the content to a new file that then takes the
/// log's name.
/// </summary>
internal sealed class ToyLogSession : ICrashSession
{
    private const string Directory = "/toy", Log = "/toy/log", NewLog = "/toy/log.new";

    private static int _mood;

    private readonly SimDisk _disk;
    private readonly ToySabotage _sabotage;
    private readonly Dictionary<int, ImmutableSortedDictionary<byte[], byte[]>> _readers = [];
    private readonly List<byte> _held = [];
    private ImmutableSortedDictionary<byte[], byte[]> _content = ImmutableSortedDictionary.Create<byte[], byte[]>(KeyOrder.Instance);
    private IDiskFile _log;
    private long _end;
    private ulong _lastChecksum;

    internal ToyLogSession(SimDisk disk, ToySabotage sabotage)
    {
        _disk = disk;
        _sabotage = sabotage;
        Require(disk.CreateDirectory(Directory));
        SyncDirectory("/");
        DeleteNewLog();
        _log = OpenLog();
        SyncDirectory(Directory);
        Require(_log.TryLock(exclusive: true));
        if (!Has(ToySabotage.NoSyncAtOpen))
        {
            Require(_log.SyncData());
        }

        Recover();
        VisibleTransactionId = LastTransactionId;
        if (Has(ToySabotage.CompactsAtOpen))
        {
            CompactInPlace();
        }
    }

    public long LastTransactionId { get; private set; }

    public long VisibleTransactionId { get; private set; }

    public IEnumerable<(long Offset, long Bytes)> ReachedThroughMap => [];

    public long ReplayedTransactions => -1;

    public long Commit(WorkloadTransaction transaction) => CommitGroup([transaction]);

    public long CommitGroup(IReadOnlyList<WorkloadTransaction> transactions)
    {
        var bytes = new List<byte>();
        foreach (WorkloadTransaction transaction in transactions)
        {
            LastTransactionId++;
            byte[] record = ToyLogRecord.Build(
                ToyLogRecord.TransactionMagic, LastTransactionId, transaction.Changes, Previous, out _lastChecksum);
            _content = ToyLogRecord.Apply(record, _content, forgetsDeletes: false);
            bytes.AddRange(record);
        }

        VisibleTransactionId = Has(ToySabotage.ShowsEarly) ? LastTransactionId : VisibleTransactionId;
        byte[] write = [.. _held, .. Has(ToySabotage.AckBeforeWrite) ? [] : bytes];
        if (Has(ToySabotage.AckBeforeWrite))
        {
            _held.Clear();
            _held.AddRange(bytes);
        }

        Append(write);
        VisibleTransactionId = LastTransactionId;
        return LastTransactionId;
    }

    public void Rollback(WorkloadTransaction transaction) =>
        ToyLogRecord.Build(ToyLogRecord.TransactionMagic, LastTransactionId + 1, transaction.Changes, Previous, out _);

    public long OpenReader(int slot)
    {
        _readers.Add(slot, _content);
        return LastTransactionId;
    }

    public void VisitReader(int slot, ContentVisitor visitor) => Visit(_readers[slot], visitor);

    public void CloseReader(int slot) => _readers.Remove(slot);

    public void Checkpoint()
    {
        Append([.. _held]);
        _held.Clear();
        if (Has(ToySabotage.CompactsInPlace))
        {
            CompactInPlace();
            return;
        }

        byte[] record = Compacted(out ulong checksum);
        DeleteNewLog();
        Require(_disk.OpenFile(NewLog, FileOpening.Create, out IDiskFile? next));
        Require(next!.Write(0, record));
        if (!Has(ToySabotage.RenameBeforeSync))
        {
            Require(next.SyncData());
        }

        next.Dispose();
        Require(_disk.Rename(NewLog, Log));
        SyncDirectory(Directory);
        _log.Dispose();
        _log = OpenLog();
        Require(_log.TryLock(exclusive: true));
        _end = record.Length;
        _lastChecksum = checksum;
    }

    public void VisitContent(ContentVisitor visitor) => Visit(_content, visitor);

    public void Check()
    {
        Require(_log.GetLength(out long length));
        if (length < _end)
        {
            throw new InvalidDataException($"The log is {length} bytes long, its records {_end}.");
        }
    }

    public void Close()
    {
        Append([.. _held]);
        _held.Clear();
        if (Has(ToySabotage.LeavesLitter))
        {
            Require(_disk.OpenFile(NewLog, FileOpening.Create, out IDiskFile? litter));
            litter!.Dispose();
        }

        Abandon();
    }

    public void Abandon()
    {
        if (Has(ToySabotage.LeaksMap))
        {
            Require(_log.Map(0, out _));
            return;
        }

        if (!Has(ToySabotage.LeaksFile))
        {
            _log.Dispose();
        }
    }

    private ulong Previous => Has(ToySabotage.NoChain) ? 0 : _lastChecksum;

    private bool Has(ToySabotage sabotage) => (_sabotage & sabotage) != 0;

    private IDiskFile OpenLog()
    {
        FileOpening opening = Has(ToySabotage.NoSync) ? FileOpening.Create : FileOpening.Create | FileOpening.WriteThrough;
        Require(_disk.OpenFile(Log, opening, out IDiskFile? log));
        return log!;
    }

    private void DeleteNewLog()
    {
        IoError deleted = _disk.Delete(NewLog);
        Require(deleted.Kind == IoErrorKind.NotFound ? IoError.Success : deleted);
    }

    private byte[] Compacted(out ulong checksum)
    {
        IEnumerable<WorkloadChange> rows = _content.Select(row => new WorkloadChange(row.Key, row.Value));
        return ToyLogRecord.Build(ToyLogRecord.ContentMagic, LastTransactionId, rows, 0, out checksum);
    }

    private void CompactInPlace()
    {
        byte[] record = Compacted(out _lastChecksum);
        Require(_log.SetLength(0));
        _end = 0;
        Append(record);
    }

    private void Append(byte[] bytes)
    {
        if (Has(ToySabotage.IsMoody) && Interlocked.Increment(ref _mood) % 3 == 0)
        {
            Require(_log.SyncData());
        }

        if (bytes.Length > 0)
        {
            Require(_log.Write(_end, bytes));
            _end += bytes.Length;
        }
    }

    private void SyncDirectory(string path)
    {
        if (!Has(ToySabotage.NoDirectorySync))
        {
            Require(_disk.SyncDirectory(path));
        }
    }

    private void Recover()
    {
        Require(_log.GetLength(out long length));
        byte[] bytes = new byte[length];
        Require(_log.Read(0, bytes, out _));
        ImmutableSortedDictionary<byte[], byte[]> before = _content;
        long previousEnd = 0;
        while (ToyLogRecord.At(bytes.AsSpan((int)_end)) is { Length: > 0 } record)
        {
            long transaction = ToyLogRecord.Transaction(record);
            bool isContent = ToyLogRecord.Magic(record) == ToyLogRecord.ContentMagic && _end == 0;
            bool isNext = isContent || transaction == LastTransactionId + 1;
            if (!isNext || (!Has(ToySabotage.NoChecksum) && ToyLogRecord.StoredChecksum(record) != ToyLogRecord.Checksum(record, Previous)))
            {
                break;
            }

            before = _content;
            previousEnd = _end;
            _content = ToyLogRecord.Apply(record, _content, Has(ToySabotage.ForgetsDeletes));
            LastTransactionId = transaction;
            _lastChecksum = ToyLogRecord.StoredChecksum(record);
            _end += record.Length;
        }

        if (Has(ToySabotage.LosesLastRecord) && _end < length && LastTransactionId > 0)
        {
            _content = before;
            _end = previousEnd;
            LastTransactionId--;
        }

        _end = Has(ToySabotage.WritesBehindTail) ? length : _end;
    }

    private static void Visit(ImmutableSortedDictionary<byte[], byte[]> content, ContentVisitor visitor)
    {
        foreach ((byte[] key, byte[] value) in content)
        {
            visitor(key, value);
        }
    }

    private static void Require(IoError error)
    {
        if (error.Failed)
        {
            throw new IOException($"The toy log's disk failed: {error}.");
        }
    }
}
