namespace Voron.Bench.Peers;

/// <summary>A database of LMDB with one tree, through its C library. Durable: a commit syncs.</summary>
internal sealed class LmdbStore : IReadWork, IDisposable
{
    private static readonly long MapBytes = 1L << 36;
    private const int ItemsPerPosition = 10;

    private readonly nint _environment;
    private readonly uint _tree;
    private readonly long _logicalBytes;
    private readonly int _items;

    internal LmdbStore(string folder, int items)
    {
        _items = items;
        _logicalBytes = (long)items * (DataSet.KeyBytes + DataSet.ValueBytes);
        Directory.CreateDirectory(folder);
        Demand("create", LmdbCalls.CreateEnvironment(out _environment));
        Demand("set the map's size of", LmdbCalls.SetMapBytes(_environment, checked((nint)MapBytes)));
        Demand("open", LmdbCalls.OpenEnvironment(_environment, folder, LmdbCalls.NoThreadSlots, mode: 0x1A4));
        nint transaction = Begin(0);
        Demand("open the tree of", LmdbCalls.OpenTree(transaction, 0, 0, out _tree));
        Demand("commit to", LmdbCalls.Commit(transaction));
    }

    /// <summary>Pages of the tree and its bytes, over what was put into it.</summary>
    internal double AllocatedToLogical
    {
        get
        {
            Demand("ask", LmdbCalls.Statistics(_environment, out LmdbStatistics statistics));
            return statistics.Entries == _items
                ? statistics.AllocatedBytes / (double)_logicalBytes
                : throw new VerificationException($"lmdb: {statistics.Entries:N0} entries, {_items:N0} were written.");
        }
    }

    /// <summary>All items in one transaction.</summary>
    internal void Fill(DataSet data, KeyOrder order, bool appends)
    {
        nint transaction = Begin(0);
        for (int item = 0; item < _items; item++)
        {
            LmdbValue key = new(data.KeyAddress(order, item), DataSet.KeyBytes);
            LmdbValue value = new(data.ValueAddress(item), DataSet.ValueBytes);
            Demand("put into", LmdbCalls.Put(transaction, _tree, ref key, ref value, appends ? LmdbCalls.Append : 0));
        }

        Demand("commit to", LmdbCalls.Commit(transaction));
    }

    public long Get(Questions questions)
    {
        nint transaction = Begin(LmdbCalls.ReadOnly);
        long met = 0;
        for (int place = 0; place < questions.Count; place++)
        {
            LmdbValue key = new(questions.Address(place), DataSet.KeyBytes);
            if (LmdbCalls.Get(transaction, _tree, ref key, out LmdbValue value) == 0 && questions.IsAnswer(place, value.LastByte))
            {
                met++;
            }
        }

        LmdbCalls.Abort(transaction);
        return ReadWork.Demand("lmdb: random get", met, questions.Count);
    }

    public long Scan()
    {
        nint cursor = OpenCursor(out nint transaction);
        long met = 0;
        long bytes = 0;
        LmdbValue key = default;
        LmdbValue value = default;
        for (int error = LmdbCalls.Move(cursor, ref key, ref value, LmdbCalls.First); error == 0;
            error = LmdbCalls.Move(cursor, ref key, ref value, LmdbCalls.Next))
        {
            bytes += key.Bytes + value.Bytes;
            met++;
        }

        Close(cursor, transaction);
        ReadWork.Demand("lmdb: full scan, bytes", bytes, _logicalBytes);
        return ReadWork.Demand("lmdb: full scan", met, _items);
    }

    public long Seek(Questions questions)
    {
        nint cursor = OpenCursor(out nint transaction);
        long right = 0;
        for (int place = 0; place < questions.Count; place++)
        {
            LmdbValue key = new(questions.Address(place), DataSet.KeyBytes);
            LmdbValue value = default;
            int error = LmdbCalls.Move(cursor, ref key, ref value, LmdbCalls.SetRange);
            right += error == 0 && questions.IsAnswer(place, value.LastByte) ? 1 : 0;
            for (int met = 1; error == 0 && met < ItemsPerPosition; met++)
            {
                error = LmdbCalls.Move(cursor, ref key, ref value, LmdbCalls.Next);
            }
        }

        Close(cursor, transaction);
        return ReadWork.Demand("lmdb: position", right, questions.Count);
    }

    public void Dispose() => LmdbCalls.CloseEnvironment(_environment);

    private static void Close(nint cursor, nint transaction)
    {
        LmdbCalls.CloseCursor(cursor);
        LmdbCalls.Abort(transaction);
    }

    private static void Demand(string what, int error)
    {
        if (error != 0)
        {
            throw new VerificationException($"Cannot {what} the LMDB database: error {error}.");
        }
    }

    private nint OpenCursor(out nint transaction)
    {
        transaction = Begin(LmdbCalls.ReadOnly);
        Demand("open a cursor of", LmdbCalls.OpenCursor(transaction, _tree, out nint cursor));
        return cursor;
    }

    private nint Begin(uint flags)
    {
        Demand("begin a transaction of", LmdbCalls.Begin(_environment, 0, flags, out nint transaction));
        return transaction;
    }
}
