using Voron.Bench.Peers;

namespace Voron.Bench.Multi;

/// <summary>A database of LMDB whose only tree has duplicates: sorted ones, of one length if it is told so.</summary>
internal sealed class LmdbMultiStore : IMultiStore
{
    private const uint ModeOfNewFiles = 0x1A4; // 0644
    private static readonly long MapBytes = 1L << 35;

    private readonly nint _environment;
    private readonly uint _tree;
    private readonly int _valueBytes;
    private readonly string _folder;
    private nint _transaction;

    internal LmdbMultiStore(string folder, int valueBytes, bool isFixed)
    {
        Directory.CreateDirectory(folder);
        _folder = folder;
        _valueBytes = valueBytes;
        HasBlocks = isFixed;
        Demand("create an environment", LmdbCalls.CreateEnvironment(out _environment));
        Demand("set the map's size", LmdbCalls.SetMapBytes(_environment, checked((nint)MapBytes)));
        Demand("open a database", LmdbCalls.OpenEnvironment(_environment, folder, LmdbCalls.NoThreadSlots, ModeOfNewFiles));
        Begin();
        uint flags = LmdbCalls.SortedDuplicates | (isFixed ? LmdbCalls.FixedDuplicates : 0);
        Demand("open a tree", LmdbCalls.OpenTree(_transaction, 0, flags, out _tree));
        Commit();
    }

    public long RoomBytes => new FileInfo(Path.Combine(_folder, "data.mdb")).Length;

    public bool HasBlocks { get; }

    public void Begin() => _transaction = BeginTransaction(0);

    public void Add(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        LmdbValue under = new(key);
        LmdbValue stored = new(value);
        Demand("add a pair", LmdbCalls.Put(_transaction, _tree, ref under, ref stored, LmdbCalls.NoDuplicateData));
    }

    public void Commit()
    {
        nint transaction = _transaction;
        _transaction = 0;
        Demand("commit", LmdbCalls.Commit(transaction));
    }

    public long CountContained(PairData data, int pairs)
    {
        nint cursor = OpenCursor(out nint transaction);
        long found = 0;
        for (int pair = 0; pair < pairs; pair++)
        {
            LmdbValue key = new(data.KeyOf(pair));
            LmdbValue value = new(data.ValueOf(pair));
            found += LmdbCalls.Move(cursor, ref key, ref value, LmdbCalls.Both) == 0 ? 1 : 0;
        }

        Close(cursor, transaction);
        return found;
    }

    public long ReadBlocks(PairData data)
    {
        nint cursor = OpenCursor(out nint transaction);
        long bytes = 0;
        for (int key = 0; key < data.Keys; key++)
        {
            LmdbValue under = new(data.Key(key));
            LmdbValue block = default;
            bool isThere = LmdbCalls.Move(cursor, ref under, ref block, LmdbCalls.Set) == 0
                && LmdbCalls.Move(cursor, ref under, ref block, LmdbCalls.Multiple) == 0;
            for (; isThere; isThere = LmdbCalls.Move(cursor, ref under, ref block, LmdbCalls.NextMultiple) == 0)
            {
                bytes += block.Bytes;
            }
        }

        Close(cursor, transaction);
        return bytes / _valueBytes;
    }

    public long ReadValues(PairData data)
    {
        nint cursor = OpenCursor(out nint transaction);
        long bytes = 0;
        for (int key = 0; key < data.Keys; key++)
        {
            LmdbValue under = new(data.Key(key));
            LmdbValue value = default;
            bool isThere = LmdbCalls.Move(cursor, ref under, ref value, LmdbCalls.Set) == 0;
            for (; isThere; isThere = LmdbCalls.Move(cursor, ref under, ref value, LmdbCalls.NextDuplicate) == 0)
            {
                bytes += value.Bytes;
            }
        }

        Close(cursor, transaction);
        return bytes / _valueBytes;
    }

    public long ReadPairs()
    {
        nint cursor = OpenCursor(out nint transaction);
        LmdbValue key = default;
        LmdbValue value = default;
        long bytes = 0;
        bool isThere = LmdbCalls.Move(cursor, ref key, ref value, LmdbCalls.First) == 0;
        for (; isThere; isThere = LmdbCalls.Move(cursor, ref key, ref value, LmdbCalls.Next) == 0)
        {
            bytes += key.Bytes + value.Bytes;
        }

        Close(cursor, transaction);
        return bytes / (PairData.KeyBytes + _valueBytes);
    }

    public void Dispose()
    {
        if (_transaction != 0)
        {
            LmdbCalls.Abort(_transaction);
        }

        LmdbCalls.CloseEnvironment(_environment);
    }

    private static void Demand(string what, int error) => PeerException.Demand(LmdbStore.Name, what, error);

    private static void Close(nint cursor, nint transaction)
    {
        LmdbCalls.CloseCursor(cursor);
        LmdbCalls.Abort(transaction);
    }

    private nint BeginTransaction(uint flags)
    {
        Demand("begin a transaction", LmdbCalls.Begin(_environment, 0, flags, out nint transaction));
        return transaction;
    }

    private nint OpenCursor(out nint transaction)
    {
        transaction = BeginTransaction(LmdbCalls.ReadOnly);
        Demand("open a cursor", LmdbCalls.OpenCursor(transaction, _tree, out nint cursor));
        return cursor;
    }
}
