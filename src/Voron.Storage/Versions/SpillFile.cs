// Unsafe fence. Bounds: blocks and runs are within the mapped bytes of the file and are returned with the size they were rented with;
// callers hold the version table's gate.
using Voron.Storage.Format;

namespace Voron.Storage.Versions;

/// <summary>
/// Memory for page versions that is a file: the system writes it out when memory is short and reads it again when it is used. Its space is
/// allocated when it is made, so a store does not find the disk full if the file system can promise that. Its content is lost with the
/// process; it is in the commit journal, or was never committed.
/// </summary>
internal sealed unsafe class SpillFile : IDisposable
{
    private readonly IDiskFile _file;
    private readonly byte* _start;
    private readonly BlockPool _blocks;
    private readonly Dictionary<long, Stack<nint>> _freeRuns = [];
    private long _runBytes;
    private bool _isConfirmed;

    internal SpillFile(IDiskFile file, nint address, long bytes)
    {
        _file = file;
        _start = (byte*)address;
        Bytes = bytes;
        _blocks = new BlockPool();
        _blocks.Add(new BlockRegion(address, bytes));
    }

    internal long Bytes { get; }

    /// <summary>
    /// The transaction whose publishing ends all changes of what it holds. A file with blocks that are rented again and again has none.
    /// </summary>
    internal TransactionId FilledBy { get; set; } = TransactionId.AfterAll;

    internal bool IsUnused => _blocks.UsedBytes + _runBytes == 0;

    /// <summary>Bytes that can still be rented in any sizes.</summary>
    internal long Room => _blocks.Room;

    internal bool Holds(byte* address) => address >= _start && address < _start + Bytes;

    /// <summary>Asks for a block that is about to be read, without waiting for it; false if memory holds it.</summary>
    internal bool Request(byte* block, int bytes)
    {
        long offset = block - _start;
        bool isMissing = !_file.IsInMemory(offset, bytes);
        if (isMissing)
        {
            _file.ReadAhead(offset, bytes);
        }

        return isMissing;
    }

    /// <summary>As of <see cref="BlockPool.CanServe"/>.</summary>
    internal bool CanServe(int index, int other) => _blocks.CanServe(index, other);

    /// <summary>Returns a block of this class, or null.</summary>
    internal byte* TryRentBlock(int index) => _blocks.TryRent(index);

    internal void ReturnBlock(byte* block, int index) => _blocks.Return(block, index);

    /// <summary>
    /// Takes a block back for good. It is not touched: the system would write what changes here to the disk, because the rest of the file
    /// is still used.
    /// </summary>
    internal void ReturnBlockUntouched(int index) => _blocks.Forget(index);

    /// <summary>Returns a run of zeros, or null.</summary>
    internal byte* TryRentRun(long bytes)
    {
        byte* run;
        if (_freeRuns.TryGetValue(bytes, out Stack<nint>? free) && free.TryPop(out nint address))
        {
            run = (byte*)address;
            new Span<byte>(run, checked((int)bytes)).Clear();
        }
        else
        {
            run = _blocks.TryCarve(bytes);
        }

        _runBytes += run == null ? 0 : bytes;
        return run;
    }

    internal void ReturnRun(byte* run, long bytes)
    {
        _runBytes -= bytes;
        if (!_freeRuns.TryGetValue(bytes, out Stack<nint>? free))
        {
            _freeRuns.Add(bytes, free = new Stack<nint>());
        }

        free.Push((nint)run);
    }

    /// <summary>
    /// Throws if something that was stored here may have been lost on its way to the disk and back: the system reports it only to a sync.
    /// What does not change any more is confirmed once.
    /// </summary>
    /// <param name="visible">The newest transaction that was published before the call.</param>
    internal void Confirm(TransactionId visible)
    {
        if (!_isConfirmed)
        {
            bool isFilled = FilledBy <= visible;
            IO.Throw.IfFailed(_file.SyncData(), "sync", _file.Path);
            _isConfirmed = isFilled;
        }
    }

    public void Dispose() => _file.Dispose();
}
