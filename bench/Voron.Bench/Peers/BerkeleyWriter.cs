namespace Voron.Bench.Peers;

/// <summary>
/// Write transactions of Berkeley DB. One that loses a deadlock is begun again with all its changes, as its manual wants it; the first
/// changes are kept for that, since only small transactions of several threads meet.
/// </summary>
internal sealed class BerkeleyWriter(nint environment, nint database) : IStoreWriter
{
    private const int MostKept = 1_000;

    private readonly List<(BerkeleyItem Key, BerkeleyItem Value, bool IsDelete)> _changes = [];
    private nint _transaction;

    public void Begin()
    {
        _changes.Clear();
        BeginAgain();
    }

    public void Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) =>
        Change(new(BerkeleyItem.Of(key), BerkeleyItem.Of(value), false));

    public void Delete(ReadOnlySpan<byte> key) => Change(new(BerkeleyItem.Of(key), default, true));

    public void Commit()
    {
        nint transaction = _transaction;
        _transaction = 0;
        BerkeleyStore.Demand("commit", BerkeleyCalls.Commit(transaction, BerkeleyCalls.SyncAtCommit));
    }

    public void Finish()
    {
    }

    public void Dispose()
    {
        if (_transaction != 0)
        {
            _ = BerkeleyCalls.Abort(_transaction);
        }
    }

    private void BeginAgain() =>
        BerkeleyStore.Demand("begin a transaction", BerkeleyCalls.Begin(environment, 0, out _transaction, BerkeleyCalls.SyncAtCommit));

    private void Change((BerkeleyItem Key, BerkeleyItem Value, bool IsDelete) change)
    {
        if (_changes.Count == MostKept)
        {
            BerkeleyStore.Demand("change an entry", Make(change));
            return;
        }

        _changes.Add(change);
        for (int next = _changes.Count - 1; next < _changes.Count; next++)
        {
            int error = Make(_changes[next]);
            if (error == BerkeleyCalls.Deadlock)
            {
                BerkeleyStore.Demand("abort", BerkeleyCalls.Abort(_transaction));
                BeginAgain();
                next = -1;
                continue;
            }

            BerkeleyStore.Demand("change an entry", error);
        }
    }

    private int Make((BerkeleyItem Key, BerkeleyItem Value, bool IsDelete) change)
    {
        (BerkeleyItem key, BerkeleyItem value, bool isDelete) = change;
        return isDelete
            ? BerkeleyCalls.Delete(database, _transaction, ref key, 0)
            : BerkeleyCalls.Put(database, _transaction, ref key, ref value, 0);
    }
}
