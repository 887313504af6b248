using Voron.Storage.Format;
using Voron.Storage.IO;
using Voron.Storage.Journal;
using Voron.Storage.Threads;

namespace Voron.Storage.Commits;

/// <summary>
/// Writes commit groups to the commit chunks, one at a time, synchronously or overlapped with the caller, and tracks what is on the
/// device. It keeps the position in the chain of records; the commit journal decides which thread may write. A failure sets the
/// fail-stop: it is unknown what is on the device then.
/// </summary>
internal sealed class CommitWriter : IDisposable
{
    /// <summary>How many unsynced chunks may stay open: a long transaction's fragments fill chunk after chunk without a sync.</summary>
    private const int MostUnsynced = 16;

    private readonly IDisk _disk;
    private readonly ICommitListener _listener;
    private readonly CommitLatency _latency;
    private readonly FailStop _failStop;
    private readonly CompletionWait _wait;
    private readonly List<CommitChunk> _unsynced = [];
    private ulong _lastChecksum;
    private RecordMark _mark;

    /// <summary>The last record written.</summary>
    private JournalPosition _last;

    /// <summary>The last record on the device.</summary>
    private JournalPosition _durable;

    /// <summary>Created for the first overlapped write: the system has a limited number of them, and maps memory for each.</summary>
    private IWriteInFlight? _flight;
    private CommitChunk? _flyingTo;
    private long _flyingOffset;
    private long _flyingBegan;
    private bool _flyingOnDevice;
    private long _writes;
    private long _bytesWritten;
    private long _syncs;
    private int _largestGroup;
    private int _commitsInWrite;
    private int _bytesInWrite;

    internal CommitWriter(IDisk disk, JournalStart start, ICommitListener listener, CommitLatency latency, FailStop failStop)
    {
        _failStop = failStop;
        _listener = listener;
        _latency = latency;
        _wait = new CompletionWait(latency);
        _disk = disk;
        _lastChecksum = start.LastChecksum;
        _mark = start.LastCommit;
        _last = start.LastPosition;
        _durable = start.LastPosition;
    }

    /// <summary>What must have a group before it is written; null for a database alone. Changed while nothing is unwritten.</summary>
    internal IOuterLog? Outer { get; set; }

    /// <summary>The last commit record written.</summary>
    internal RecordMark Mark => _mark;

    internal long Writes => Volatile.Read(ref _writes);

    internal long BytesWritten => Volatile.Read(ref _bytesWritten);

    /// <summary>The largest number of commit records in one write.</summary>
    internal int LargestGroup => Volatile.Read(ref _largestGroup);

    internal long Syncs => Volatile.Read(ref _syncs);

    /// <summary>Writes a group or, if there is none, syncs earlier buffered writes. Returns false if that failed.</summary>
    internal bool TryWrite(CommitChunk chunk, in JournalWrite write)
    {
        try
        {
            if (Outer is { } outer && write.Group is { } group)
            {
                outer.Append(group);
            }

            Write(chunk, write);
            return true;
        }
        catch (Exception error)
        {
            _failStop.Poison(error);
            return false;
        }
    }

    /// <summary>Starts writing a group. <see cref="TryWait"/> must follow; it also reports a failed start.</summary>
    internal void Start(CommitChunk chunk, in JournalWrite write)
    {
        try
        {
            SyncIfUnsynced(chunk, write.OnDevice);
            IDiskFile file = chunk.FileFor(write.OnDevice);
            _flight ??= _disk.CreateWriteInFlight();
            _flyingBegan = _latency.Begin();
            _flyingOnDevice = write.OnDevice;
            _flight.Start(file, write.Group!.StartOffset, Seal(chunk, write.Group, write.OnDevice));
            _flyingTo = chunk;
            _flyingOffset = write.Group.StartOffset;
        }
        catch (Exception error)
        {
            _failStop.Poison(error);
        }
    }

    /// <summary>Waits for the write that was started. Returns false if it failed.</summary>
    internal bool TryWait()
    {
        if (_flyingTo is not { } chunk)
        {
            return false;
        }

        _flyingTo = null;
        try
        {
            _wait.UntilEnded(_flight!);
            IoError ended = _flight!.Wait();
            IO.Throw.IfFailed(ended, "write", chunk.Chunk.Path, _flyingOffset);
            _latency.End(_flyingBegan, _flyingOnDevice, _commitsInWrite, _bytesInWrite);
            return true;
        }
        catch (Exception error)
        {
            _failStop.Poison(error);
            return false;
        }
    }

    /// <summary>Notes that everything written is on the device.</summary>
    internal void IsOnDevice() => _durable = _last;

    /// <summary>Leaves this chunk for another one. It is closed now or, if it has unsynced writes, once they are synced.</summary>
    internal void Leave(CommitChunk chunk)
    {
        if (!chunk.IsUnsynced)
        {
            chunk.Dispose();
            return;
        }

        _unsynced.Add(chunk);
        if (_unsynced.Count >= MostUnsynced)
        {
            SyncLeft();
        }
    }

    public void Dispose()
    {
        _unsynced.ForEach(static chunk => chunk.Dispose());
        _flight?.Dispose();
    }

    private void Write(CommitChunk chunk, in JournalWrite write)
    {
        SyncIfUnsynced(chunk, write.OnDevice);
        if (write.Group is { } group)
        {
            ReadOnlySpan<byte> bytes = Seal(chunk, group, write.OnDevice);
            long began = _latency.Begin();
            IO.Throw.IfFailed(
                chunk.FileFor(write.OnDevice).Write(group.StartOffset, bytes), "write", chunk.Chunk.Path, group.StartOffset);
            _latency.End(began, write.OnDevice, _commitsInWrite, _bytesInWrite);
        }
    }

    private ReadOnlySpan<byte> Seal(CommitChunk chunk, CommitGroup group, bool onDevice)
    {
        ReadOnlySpan<byte> bytes = group.Seal(chunk.Chunk, _durable, ref _lastChecksum, ref _mark, out _last);
        _commitsInWrite = group.Commits;
        if (_commitsInWrite > 1)
        {
            _wait.SkipForCompany();
        }

        _bytesInWrite = bytes.Length;
        Volatile.Write(ref _writes, _writes + 1);
        Volatile.Write(ref _largestGroup, Math.Max(_largestGroup, group.Commits));
        Volatile.Write(ref _bytesWritten, _bytesWritten + bytes.Length);
        Volatile.Write(ref _syncs, _syncs + (onDevice && chunk.FlushesWrites ? 1 : 0));
        return bytes;
    }

    /// <summary>
    /// Syncs earlier buffered writes before a write-through write, which need not flush what they left in the device's cache. Syncing first
    /// lets the write's records say that the earlier ones are on the device, so that a later loss of one is detected.
    /// </summary>
    private void SyncIfUnsynced(CommitChunk chunk, bool onDevice)
    {
        if (!onDevice || (!chunk.IsUnsynced && _unsynced.Count == 0))
        {
            return;
        }

        SyncUnsynced();
        if (chunk.IsUnsynced)
        {
            Sync(chunk);
        }

        _durable = _last;
    }

    /// <summary>Syncs all chunks left behind. They hold everything written so far.</summary>
    private void SyncLeft()
    {
        try
        {
            SyncUnsynced();
            _durable = _last;
        }
        catch (Exception error)
        {
            _failStop.Poison(error);
        }
    }

    private void SyncUnsynced()
    {
        foreach (CommitChunk old in _unsynced)
        {
            Sync(old);
            old.Dispose();
        }

        _unsynced.Clear();
    }

    private void Sync(CommitChunk chunk)
    {
        chunk.Sync();
        Volatile.Write(ref _syncs, _syncs + 1);
    }
}
