using System.Runtime.InteropServices;
using Voron.Bench.Peers;

namespace Voron.Bench.Fixed;

/// <summary>A database of LMDB whose only tree has integers as keys.</summary>
internal sealed class LmdbFixedStore : IFixedStore
{
    private const uint ModeOfNewFiles = 0x1A4; // 0644
    private static readonly long MapBytes = 1L << 35;

    private readonly nint _environment;
    private readonly uint _tree;
    private readonly string _folder;
    private nint _transaction;

    internal LmdbFixedStore(string folder)
    {
        Directory.CreateDirectory(folder);
        _folder = folder;
        Demand("create an environment", LmdbCalls.CreateEnvironment(out _environment));
        Demand("set the map's size", LmdbCalls.SetMapBytes(_environment, checked((nint)MapBytes)));
        Demand("open a database", LmdbCalls.OpenEnvironment(_environment, folder, LmdbCalls.NoThreadSlots, ModeOfNewFiles));
        Begin();
        Demand("open a tree", LmdbCalls.OpenTree(_transaction, 0, LmdbCalls.IntegerKeys, out _tree));
        Commit();
    }

    public long RoomBytes => new FileInfo(Path.Combine(_folder, "data.mdb")).Length;

    public void Begin() => _transaction = BeginTransaction(0);

    public void Append(FixedData data)
    {
        for (int entry = 0; entry < data.Entries; entry++)
        {
            Put(data.Keys, data.Values, entry, LmdbCalls.Append);
        }
    }

    public void Put(FixedData data, int first, int count)
    {
        for (int entry = first; entry < first + count; entry++)
        {
            Put(data.RandomKeys, data.RandomValues, entry, 0);
        }
    }

    public void Commit()
    {
        nint transaction = _transaction;
        _transaction = 0;
        Demand("commit", LmdbCalls.Commit(transaction));
    }

    public long CountRight(FixedData data, int gets)
    {
        nint transaction = BeginTransaction(LmdbCalls.ReadOnly);
        long right = 0;
        for (int entry = 0; entry < gets; entry++)
        {
            LmdbValue key = new(MemoryMarshal.AsBytes(data.RandomKeys.AsSpan(entry, 1)));
            bool isThere = LmdbCalls.Get(transaction, _tree, ref key, out LmdbValue value) == 0;
            right += isThere && MemoryMarshal.Read<long>(value.Span) == data.RandomValues[entry] ? 1 : 0;
        }

        LmdbCalls.Abort(transaction);
        return right;
    }

    public long Sum(int times)
    {
        long sum = 0;
        for (int time = 0; time < times; time++)
        {
            sum += SumSteps();
        }

        return sum;
    }

    public long SumSteps()
    {
        nint transaction = BeginTransaction(LmdbCalls.ReadOnly);
        Demand("open a cursor", LmdbCalls.OpenCursor(transaction, _tree, out nint cursor));
        LmdbValue key = default;
        LmdbValue value = default;
        long sum = 0;
        bool isThere = LmdbCalls.Move(cursor, ref key, ref value, LmdbCalls.First) == 0;
        for (; isThere; isThere = LmdbCalls.Move(cursor, ref key, ref value, LmdbCalls.Next) == 0)
        {
            sum += MemoryMarshal.Read<long>(value.Span);
        }

        LmdbCalls.CloseCursor(cursor);
        LmdbCalls.Abort(transaction);
        return sum;
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

    private void Put(long[] keys, long[] values, int entry, uint flags)
    {
        LmdbValue key = new(MemoryMarshal.AsBytes(keys.AsSpan(entry, 1)));
        LmdbValue value = new(MemoryMarshal.AsBytes(values.AsSpan(entry, 1)));
        Demand("put an entry", LmdbCalls.Put(_transaction, _tree, ref key, ref value, flags));
    }

    private nint BeginTransaction(uint flags)
    {
        Demand("begin a transaction", LmdbCalls.Begin(_environment, 0, flags, out nint transaction));
        return transaction;
    }
}
